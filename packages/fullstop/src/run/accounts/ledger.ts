import { addUsd, fromNanoUsd, toNanoUsd } from '../../engines/port/money.js';
import type { Charge, TokenUsage, UnitUsage } from '../../engines/port/usage.js';
import type { Termination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { RunLimits } from '../limits.js';
import { type Room, type Share, wholeTokens } from './share.js';

/** The account of a unit: what it has used and may still use. */
export interface LedgerView {
  readonly usage: TokenUsage;
  /** Null as soon as something was charged whose price is not known. */
  readonly costUsd: number | null;
  readonly steps: number;
  /** True when some of the usage was estimated. */
  readonly estimated: boolean;
  readonly counters: Readonly<Record<string, number>>;
  /** The remainder within the limits of this unit and of all its ancestors. */
  remaining(): RunLimits;
}

type LimitEnding = Termination<'token_budget' | 'cost_budget'>;

/** A limit that a unit has reached, and the unit whose limit it is. */
export interface Exceeded {
  readonly ledger: Ledger;
  readonly termination: Termination<'max_iterations' | 'token_budget' | 'cost_budget'>;
}

/** The account of one unit. Charges go up to every ancestor; limits come down from there. */
export class Ledger implements LedgerView {
  readonly parent: Ledger | undefined;
  limits: RunLimits;
  steps = 0;
  estimated = false;
  #inputTokens = 0;
  #outputTokens = 0;
  /** Costs are whole billionths of a dollar inside, so that sums are exact. */
  #knownNanos = 0;
  #unpriced = false;
  #reservedTokens = 0;
  #reservedNanos = 0;
  /** Called when a reservation is released, once. */
  #waiting: (() => void)[] = [];
  readonly #counters: Record<string, number> = {};

  constructor(limits: RunLimits, parent?: Ledger) {
    this.limits = limits;
    this.parent = parent;
  }

  get usage(): TokenUsage {
    const [inputTokens, outputTokens] = [this.#inputTokens, this.#outputTokens];
    return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  }

  get costUsd(): number | null {
    return this.#unpriced ? null : fromNanoUsd(this.#knownNanos);
  }

  /** The cost as far as prices are known. */
  get knownUsd(): number {
    return fromNanoUsd(this.#knownNanos);
  }

  /** All of it; undefined while nothing was used. */
  get used(): UnitUsage | undefined {
    const tokens = this.#inputTokens + this.#outputTokens;
    if (tokens === 0 && this.#knownNanos === 0 && !this.#unpriced) return undefined;
    return {
      tokens,
      costUsd: this.knownUsd,
      ...(this.#unpriced && { unpriced: true }),
      ...(this.estimated && { estimated: true }),
    };
  }

  get counters(): Readonly<Record<string, number>> {
    return this.#counters;
  }

  /** Books a step and what it cost, here and in every ancestor. */
  book(charge: Charge | undefined): void {
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) ledger.#add(charge);
  }

  /** Books what the journal holds, here only: ancestors have their own share of the journal. */
  restore(charge: Charge | undefined): void {
    this.#add(charge);
  }

  #add(charge: Charge | undefined): void {
    this.steps += 1;
    if (charge === undefined) return;
    const tokens = (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
    this.#inputTokens += charge.inputTokens ?? 0;
    this.#outputTokens += charge.outputTokens ?? 0;
    if (charge.costUsd !== undefined) this.#knownNanos += toNanoUsd(charge.costUsd);
    else if (tokens > 0) this.#unpriced = true;
    if (charge.estimated === true) this.estimated = true;
    if (charge.counters === undefined) return;
    for (const [name, count] of Object.entries(charge.counters)) {
      this.#counters[name] = (this.#counters[name] ?? 0) + count;
    }
  }

  /** Sets aside what an effect may use; the function it returns releases it. Refused where a budget has no room. */
  reserve(charge: Charge): (() => void) | Exceeded {
    const tokens = (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
    const nanos = toNanoUsd(charge.costUsd ?? 0);
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) {
      const termination = ledger.#lacksRoom(tokens, nanos);
      if (termination !== undefined) return { ledger, termination };
    }
    return this.#holdUntilReleased(tokens, nanos);
  }

  /**
   * Sets aside as much output as is left here and further out, one token at least, so that only what is used up refuses a call. Where
   * others hold what is left, the account to wait at until one of them releases something.
   */
  share({ outputTokens: most = 1, costUsd = 0 }: Charge): Share | Ledger {
    const nanosPerToken = toNanoUsd(costUsd) / most;
    let tokens = most;
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent)
      tokens = Math.min(tokens, ledger.#affords(nanosPerToken));
    tokens = Math.max(1, tokens);
    const nanos = Math.round(tokens * nanosPerToken);
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent)
      if (ledger.#isHeldByOthers(tokens, nanos)) return ledger;
    const room = this.room();
    return { room, release: this.#holdUntilReleased(tokens, nanos) };
  }

  /** Calls back, once, when something that is reserved here is released. */
  whenReleased(onReleased: () => void): void {
    this.#waiting.push(onReleased);
  }

  /** The least that the limits here and further out leave to one call, without what others hold. */
  room(): Room {
    const room: { -readonly [K in keyof Room]: Room[K] } = { tokens: undefined, cost: undefined };
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) {
      const { tokens, costUsd } = ledger.limits;
      if (tokens !== undefined) {
        const left = tokens - ledger.usage.totalTokens - ledger.#reservedTokens;
        if (left < (room.tokens?.left ?? Number.POSITIVE_INFINITY)) room.tokens = { left, ledger };
      }
      if (costUsd === undefined) continue;
      const left = fromNanoUsd(toNanoUsd(costUsd) - ledger.#knownNanos - ledger.#reservedNanos);
      if (left < (room.cost?.left ?? Number.POSITIVE_INFINITY)) room.cost = { left, ledger };
    }
    return room;
  }

  /** The ending of one of its limits, once a charge is booked that is not yet. */
  endingWith(resource: keyof Room, { inputTokens = 0, outputTokens = 0, costUsd = 0, estimated }: Charge): LimitEnding {
    const isEstimated = this.estimated || estimated === true ? ({ estimated: true } as const) : undefined;
    const used = this.usage.totalTokens + inputTokens + outputTokens;
    if (resource === 'tokens')
      return terminations.tokenBudget({ limit: this.limits.tokens ?? used, used, ...isEstimated });
    const usedUsd = addUsd(this.knownUsd, costUsd);
    return terminations.costBudget({ limitUsd: this.limits.costUsd ?? usedUsd, usedUsd, ...isEstimated });
  }

  /** How many tokens of output at a price its own limits have left, whatever is reserved. */
  #affords(nanosPerToken: number): number {
    const { tokens = Number.POSITIVE_INFINITY, costUsd } = this.limits;
    const left = tokens - this.usage.totalTokens;
    if (costUsd === undefined || nanosPerToken === 0) return left;
    return Math.min(left, wholeTokens(toNanoUsd(costUsd) - this.#knownNanos, nanosPerToken));
  }

  #isHeldByOthers(tokens: number, nanos: number): boolean {
    const lacking = this.#lacksRoom(tokens, nanos);
    if (lacking === undefined) return false;
    return lacking.kind === 'token_budget' ? this.#reservedTokens > 0 : this.#reservedNanos > 0;
  }

  #holdUntilReleased(tokens: number, nanos: number): () => void {
    this.#hold(tokens, nanos);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#hold(-tokens, -nanos);
      this.#wakeWaiting();
    };
  }

  #hold(tokens: number, nanos: number): void {
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) {
      ledger.#reservedTokens += tokens;
      ledger.#reservedNanos += nanos;
    }
  }

  #wakeWaiting(): void {
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) {
      if (ledger.#waiting.length === 0) continue;
      const waiting = ledger.#waiting;
      ledger.#waiting = [];
      for (const onReleased of waiting) onReleased();
    }
  }

  #lacksRoom(tokens: number, nanos: number): Exceeded['termination'] | undefined {
    const used = this.usage.totalTokens;
    const { tokens: tokenLimit, costUsd: costLimit } = this.limits;
    if (tokenLimit !== undefined && used + this.#reservedTokens + tokens > tokenLimit) {
      return this.#tokenBudget(tokenLimit);
    }
    if (costLimit !== undefined && this.#knownNanos + this.#reservedNanos + nanos > toNanoUsd(costLimit)) {
      return this.#costBudget(costLimit);
    }
    return undefined;
  }

  /** The first limit that is used up, looking outward from this unit. A limit is reached at used >= limit. */
  exceeded(): Exceeded | undefined {
    for (let ledger: Ledger | undefined = this; ledger !== undefined; ledger = ledger.parent) {
      const termination = ledger.#usedUp();
      if (termination !== undefined) return { ledger, termination };
    }
    return undefined;
  }

  #usedUp(): Exceeded['termination'] | undefined {
    const { costUsd, tokens, steps } = this.limits;
    if (costUsd !== undefined && this.#knownNanos >= toNanoUsd(costUsd)) return this.#costBudget(costUsd);
    const used = this.#inputTokens + this.#outputTokens;
    if (tokens !== undefined && used >= tokens) return this.#tokenBudget(tokens);
    if (steps === undefined || this.steps < steps) return undefined;
    return terminations.maxIterations({ limit: steps, used: this.steps, unit: 'step' });
  }

  #tokenBudget(limit: number): Termination<'token_budget'> {
    const used = this.#inputTokens + this.#outputTokens;
    return terminations.tokenBudget({ limit, used, ...(this.estimated && { estimated: true }) });
  }

  #costBudget(limitUsd: number): Termination<'cost_budget'> {
    const usedUsd = fromNanoUsd(this.#knownNanos);
    return terminations.costBudget({ limitUsd, usedUsd, ...(this.estimated && { estimated: true }) });
  }

  remaining(): RunLimits {
    return this.#left(true);
  }

  /** The same for a run of its own: what others hold for a moment is no limit of a run that lasts longer. */
  unspent(): RunLimits {
    return this.#left(false);
  }

  #left(isHeldLess: boolean): RunLimits {
    const own: Record<string, number> = {};
    const { costUsd, tokens, steps, deadline } = this.limits;
    const [heldTokens, heldNanos] = isHeldLess ? [this.#reservedTokens, this.#reservedNanos] : [0, 0];
    if (costUsd !== undefined)
      own['costUsd'] = fromNanoUsd(Math.max(0, toNanoUsd(costUsd) - this.#knownNanos - heldNanos));
    if (tokens !== undefined) own['tokens'] = Math.max(0, tokens - this.usage.totalTokens - heldTokens);
    if (steps !== undefined) own['steps'] = Math.max(0, steps - this.steps);
    if (deadline !== undefined) own['deadline'] = deadline;
    for (const [name, left] of Object.entries(this.parent === undefined ? {} : this.parent.#left(isHeldLess)))
      own[name] = Math.min(own[name] ?? Number.POSITIVE_INFINITY, left as number);
    return own;
  }
}
