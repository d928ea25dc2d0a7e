import type { Charge } from '../engines/port/usage.js';
import { checkOptions, invalidOption, positiveLimit, wholeLimit } from '../stop/check-option.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { checkMilliseconds } from './check-run-options.js';
import type { RetryPolicy } from './retry.js';
import type { StepOptions } from './run-context.js';

/** Refuses what cannot be meant, before the effect. */
export function checkStepOptions({ once, retry, timeoutMs, reserve }: StepOptions, key: string): void {
  if (retry === undefined && timeoutMs === undefined && reserve === undefined) return;
  const builder = `The step ${JSON.stringify(key)}`;
  if (retry !== undefined && once === true)
    throw new FullstopError(
      'INVALID_OPTION',
      `${builder} has both once and retry; a step that may run at most once cannot be retried.`,
    );
  if (retry !== undefined) checkRetry(retry, builder);
  if (timeoutMs !== undefined) positiveLimit(timeoutMs, { builder, option: 'timeoutMs' });
  if (reserve !== undefined) {
    checkOptions<Charge>(reserve, `${builder}: reserve`, amountNames);
    checkCharge(reserve, key, 'reserve');
  }
}

const retryNames = [
  'attempts',
  'initialDelayMs',
  'factor',
  'maximumDelayMs',
  'retryIf',
  'delayOf',
] as const satisfies readonly (keyof RetryPolicy)[];

export function checkRetry(retry: RetryPolicy, builder: string): void {
  const read = checkOptions<RetryPolicy>(retry, `${builder}: retry`, retryNames);
  const { attempts, initialDelayMs, factor, maximumDelayMs } = read;
  wholeLimit(attempts, { builder, option: 'retry.attempts' });
  if (initialDelayMs !== undefined) checkMilliseconds(initialDelayMs, builder, 'retry.initialDelayMs');
  if (factor !== undefined) positiveLimit(factor, { builder, option: 'retry.factor' });
  if (maximumDelayMs !== undefined) checkMilliseconds(maximumDelayMs, builder, 'retry.maximumDelayMs');
}

const amounts: Required<Record<keyof Charge, true>> = {
  inputTokens: true,
  outputTokens: true,
  costUsd: true,
  estimated: true,
  counters: true,
};
const amountNames = Object.keys(amounts) as (keyof Charge)[];

/** Refuses what no ledger can add up: one such amount, and no limit would ever be reached again. */
export function checkCharge(charge: Charge, key: string, part: 'charge' | 'reserve'): void {
  const { inputTokens = -1, outputTokens = -1, costUsd = 0, counters } = charge ?? {};
  // Every call of a model makes one, and nearly all are like that.
  const isUsual = inputTokens >= 0 && outputTokens >= 0 && costUsd >= 0 && counters === undefined;
  if (isUsual && Number.isFinite(inputTokens) && Number.isFinite(outputTokens) && Number.isFinite(costUsd)) return;
  checkNames(charge, key, part);
  for (const [option, amount] of Object.entries(amountsOf(charge))) {
    if (!isAmount(amount)) throw invalidOption(amount, { builder: nameOf(key, part), option }, 'a number, 0 or more');
  }
}

function amountsOf({
  inputTokens,
  outputTokens,
  costUsd,
  counters,
}: Charge): Readonly<Record<string, number | undefined>> {
  return { inputTokens, outputTokens, costUsd, ...counters };
}

/** Refuses what would count for nothing. The usage of a provider says more than we count, and is taken as it is. */
function checkNames(charge: unknown, key: string, part: 'charge' | 'reserve'): void {
  for (const name in charge as Charge) if (Object.hasOwn(amounts, name)) return;
  checkOptions(charge as Charge, nameOf(key, part), amountNames);
}

function nameOf(key: string, part: 'charge' | 'reserve'): string {
  const name = JSON.stringify(key);
  return part === 'charge' ? `The charge of the step ${name}` : `The step ${name}: reserve`;
}

function isAmount(amount: number | undefined): boolean {
  return amount === undefined || (Number.isFinite(amount) && amount >= 0);
}
