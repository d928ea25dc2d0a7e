import type { AbortSignalLike, Engine, RunSession } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { addUsd, subtractUsd } from '../../engines/port/money.js';
import type { SharedBudgetState, SpendingReport } from '../../engines/port/spending.js';
import type { Charge } from '../../engines/port/usage.js';
import type { Termination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { spawnEndingKey } from '../journal/operation-key.js';
import type { Ledger } from './ledger.js';

interface SharingRun {
  readonly engine: Engine;
  readonly session: RunSession;
  readonly history: readonly JournalEntry[];
  /** The account of the run itself. */
  readonly ledger: Ledger;
}

/**
 * The budgets that a run shares with those that it has spawned and those that it was spawned by, wherever they are executed. They are looked at
 * before each step, so that they are exceeded by what is under way at most.
 */
export class SharedBudget {
  readonly #run: SharingRun;
  /** The runs above this one, if one of them has a budget. */
  readonly #ancestors: readonly string[];
  /** The usage of spawned runs that is booked here, and that they have reported themselves. */
  #spawnedTokens = 0;
  #spawnedUsd = 0;
  #hasSpawned = false;

  constructor(run: SharingRun) {
    this.#run = run;
    const within = run.session.options?.['within'];
    this.#ancestors = Array.isArray(within) ? within.filter((each) => typeof each === 'string') : [];
    for (const charge of chargesOfSpawned(run.history)) this.addSpawned(charge);
  }

  /** The runs above one that is spawned here, if it has a budget to share. */
  get within(): readonly string[] {
    const { tokens, costUsd } = this.#run.ledger.limits;
    const hasBudget = this.#ancestors.length > 0 || tokens !== undefined || costUsd !== undefined;
    return hasBudget ? [...this.#ancestors, this.#run.session.identity.runId] : [];
  }

  /** Remembers what was booked of a spawned run. */
  addSpawned({ inputTokens = 0, outputTokens = 0, costUsd = 0 }: Charge): void {
    this.#hasSpawned = true;
    this.#spawnedTokens += inputTokens + outputTokens;
    this.#spawnedUsd = addUsd(this.#spawnedUsd, costUsd);
  }

  /** Reports what this run has used before another one is spawned or resumed. Rejects with the reason of the signal: nothing is to be spawned after it. */
  async beginSpawning(signal: AbortSignalLike): Promise<void> {
    this.#hasSpawned = true;
    if (this.within.length > 0) await this.#share(signal);
    if (signal.aborted) throw signal.reason;
  }

  /** True when others may use the same budgets. */
  get isShared(): boolean {
    const mayBe = this.#ancestors.length > 0 || (this.#hasSpawned && this.within.length > 0);
    return mayBe && this.#run.engine.spending !== undefined;
  }

  /** The budget that is used up, if one is known to be before the signal is aborted. */
  async exceeded(signal: AbortSignalLike): Promise<Termination<'token_budget' | 'cost_budget'> | undefined> {
    for (const state of await this.#share(signal)) {
      const used = usedUp(state);
      if (used !== undefined) return used;
    }
    return undefined;
  }

  /** The outermost run has ended, and those below it with it: what they used is in its journal. */
  close(): void {
    if (!this.#hasSpawned || this.#ancestors.length > 0) return;
    this.#run.engine.spending?.forget?.(this.#run.session.identity.runId);
  }

  /** Reports, and hears of the budgets; of none when the signal is aborted first: a store that is away must not hold up whoever is cancelled. */
  #share(signal: AbortSignalLike): Promise<readonly SharedBudgetState[]> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => resolve([]);
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
      const shared = this.#run.engine.spending?.share(this.#report()) ?? Promise.resolve([]);
      shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    });
  }

  #report(): SpendingReport {
    const { ledger, session } = this.#run;
    const { tokens, costUsd } = ledger.limits;
    return {
      runId: session.identity.runId,
      ancestors: this.#ancestors,
      tokens: ledger.usage.totalTokens - this.#spawnedTokens,
      costUsd: Math.max(0, subtractUsd(ledger.knownUsd, this.#spawnedUsd)),
      limits: { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) },
    };
  }
}

function usedUp({
  limits,
  tokens,
  costUsd,
}: SharedBudgetState): Termination<'token_budget' | 'cost_budget'> | undefined {
  if (limits.costUsd !== undefined && costUsd >= limits.costUsd)
    return terminations.costBudget({ limitUsd: limits.costUsd, usedUsd: costUsd });
  if (limits.tokens !== undefined && tokens >= limits.tokens)
    return terminations.tokenBudget({ limit: limits.tokens, used: tokens });
  return undefined;
}

/** The charges of spawned runs that the journal has booked. */
function chargesOfSpawned(history: readonly JournalEntry[]): readonly Charge[] {
  const keys = new Set<string | undefined>();
  const charges: Charge[] = [];
  for (const entry of history) {
    if (entry.type === 'child_spawned') keys.add(spawnEndingKey(entry.data.runId));
    else if (entry.type === 'step_ended' && keys.has(entry.key)) charges.push(entry.data.charge ?? {});
  }
  return keys.size > 0 && charges.length === 0 ? [{}] : charges;
}
