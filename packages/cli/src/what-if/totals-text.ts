import { counted, dollars, duration, grouped, percent } from '../journal/number-text.js';
import type { Savings, TrialTotals } from './try-limits.js';

/** The effect of a set of limits on all runs together, in one line. */
export function totalsText({ runs, cut, beyond, results, kept, saved, spent, unknown }: TrialTotals): string {
  const parts = [
    `${counted(cut, 'run')} of ${grouped(runs)} would have ended earlier`,
    ...(beyond > 0 ? [`${grouped(beyond)} would have continued`] : []),
    ...(unknown > 0 ? [`${grouped(unknown)} say nothing`] : []),
    `saved: ${savings(saved)}${share(saved, spent)}`,
    results === 0 ? 'no run reached a result' : `${grouped(kept)} of ${counted(results, 'result')} kept`,
  ];
  return parts.join(' · ');
}

export function savings({ tokens, ms, ...money }: Savings): string {
  const cost = savedMoney(money);
  return [...(tokens > 0 ? [`${grouped(tokens)} tokens`] : []), ...(cost === '' ? [] : [cost]), duration(ms)].join(
    ', ',
  );
}

/** Money that was saved: nothing, `$1.20`, `~$1.20` where usage was guessed, or a question mark where prices are not known. */
export function savedMoney({
  costUsd,
  unpriced = false,
  estimated = false,
}: Pick<Savings, 'costUsd' | 'unpriced' | 'estimated'>): string {
  const known = costUsd > 0 ? dollars(costUsd, estimated) : '';
  if (!unpriced) return known;
  return known === '' ? '?' : `${known}+?`;
}

function share(saved: Savings, spent: Savings): string {
  if (spent.costUsd > 0 && spent.unpriced !== true) return ` (${percent(saved.costUsd / spent.costUsd)} of the cost)`;
  return spent.tokens > 0 ? ` (${percent(saved.tokens / spent.tokens)} of the tokens)` : '';
}
