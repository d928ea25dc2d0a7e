import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { Ledger } from '../accounts/ledger.js';
import { makePart, makeScope } from '../journal/scope-path.js';
import type { RunLimits } from '../limits.js';
import type { StepAttempt, UnitResult } from '../run-context.js';
import type { Permit } from './permits.js';

/** Something to undo when a unit is cancelled. */
export interface Undo {
  readonly key: string;
  perform(attempt: StepAttempt): unknown;
}

export interface UnitOptions {
  readonly scope: string;
  readonly limits: RunLimits;
  readonly parent?: Unit;
  readonly now: number;
  /** The ending that this unit is resumed from. */
  readonly endingBefore?: AnyTermination | undefined;
  /** Where its charges go, if not to its parent. */
  readonly account?: Ledger;
  /** Called once, with the first ending that this unit reaches. */
  finish(result: UnitResult): void;
}

/** Notified when its unit is aborted. */
export interface UnitAbortListener {
  onAbort(reason: unknown): void;
}

/** Asked when a limit is about to end a unit from outside. */
export interface LimitListener {
  /** The ending that the unit has come to instead; 'held' where it comes to it by itself. Undefined where the limit is its ending. */
  onLimit(limit: AnyTermination): UnitResult | 'held' | undefined;
  /** The goals that it has reached by now. */
  reached(limit: AnyTermination): readonly AnyTermination[];
}

const deafListener: UnitAbortListener = { onAbort: nothing };

// One for all: making an error with its stack for every unit would cost more than the unit.
const unitEnded = new Error('The unit has ended.');

/** A part of a run that has an ending of its own: the run itself, or an inline child. */
export class Unit {
  readonly scope: string;
  readonly parent: Unit | undefined;
  readonly ledger: Ledger;
  /** True while its undo steps run: they must not be refused for the cancellation that they belong to. */
  undoing = false;
  readonly endingBefore: AnyTermination | undefined;
  /** A budget in US dollars that holds for whatever is inside, and for which the price of every call must be known. */
  pricedBudget: number | undefined;
  /** The entry of the failed step that it ended with before and tries again now. */
  redo: number | undefined;
  /** The right to work, where only so many units may at once. */
  permit: Permit | undefined;
  limitListener: LimitListener | undefined;
  /** The limit that it may outlast for a moment, because it has reached its goal. */
  heldAt: AnyTermination | undefined;
  now: number;
  nextOrdinal = 0;
  /** Where it continued after a dead branch; ids that are drawn after that differ from those that were drawn in it. */
  branch = 0;
  drawn = 0;
  ended = false;
  /** How it ended, once it has. */
  termination: UnitResult['termination'] | undefined;
  /** True while it ends and aborts its effects: what they report within that still counts. */
  #ending = false;
  /** Operations and sleeps under way in this unit and inside it, and requests that nobody has answered yet. */
  #busy = 0;
  #asleep = 0;
  #asking = 0;
  // These are made when they are first needed, because most units never do.
  #children: Set<Unit> | undefined;
  #undos: Undo[] | undefined;
  #visits: Map<string, number> | undefined;
  /** Never empty: a list or a set that gets empty again and again is made anew each time. */
  readonly #listeners: UnitAbortListener[] = [deafListener];
  readonly #finish: (result: UnitResult) => void;
  #controller: { readonly signal: AbortSignalLike; abort(reason?: unknown): void } | undefined;
  #abortReason: { readonly reason: unknown } | undefined;

  constructor(options: UnitOptions) {
    this.scope = options.scope;
    this.parent = options.parent;
    this.now = options.now;
    this.#finish = options.finish;
    this.endingBefore = options.endingBefore;
    this.ledger = new Ledger(options.limits, options.account ?? options.parent?.ledger);
    options.parent?.children.add(this);
  }

  get children(): Set<Unit> {
    this.#children ??= new Set();
    return this.#children;
  }

  get undos(): Undo[] {
    this.#undos ??= [];
    return this.#undos;
  }

  get visits(): Map<string, number> {
    this.#visits ??= new Map();
    return this.#visits;
  }

  get hasChildren(): boolean {
    return this.#children !== undefined && this.#children.size > 0;
  }

  /** Made when it is first read, because most steps never look at it. */
  get signal(): AbortSignalLike {
    if (this.#controller === undefined) {
      this.#controller = new host.AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason.reason);
    }
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#abortReason !== undefined;
  }

  /** Why it was aborted. */
  get abortReason(): unknown {
    return this.#abortReason?.reason;
  }

  abort(reason: unknown): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = { reason };
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    // One that an earlier one removes is not called.
    for (let listener = listeners.shift(); listener !== undefined; listener = listeners.shift())
      listener.onAbort(reason);
    for (const child of this.#children ?? []) child.abort(reason);
  }

  /** Calls back when the unit is aborted, at once if it is; cheaper than a signal. Returns what removes the listener. */
  whenAborted(onAbort: (reason: unknown) => void): () => void {
    if (this.#abortReason !== undefined) {
      onAbort(this.#abortReason.reason);
      return nothing;
    }
    const listener = { onAbort };
    this.addAbortListener(listener);
    return () => this.removeAbortListener(listener);
  }

  /** Adds a listener to a unit that is not aborted; without the closures of `whenAborted`, for what every step does. */
  addAbortListener(listener: UnitAbortListener): void {
    this.#listeners.push(listener);
  }

  removeAbortListener(listener: UnitAbortListener): void {
    const listeners = this.#listeners;
    const place = listeners.lastIndexOf(listener);
    if (place === listeners.length - 1) listeners.pop();
    else if (place >= 0) listeners.splice(place, 1);
  }

  /** Ends the unit with the first result that it is given; later ones are ignored. */
  end(result: UnitResult): void {
    if (this.ended) return;
    this.ended = true;
    this.termination = result.termination;
    // An effect that never returns must not keep its ancestors from coming to rest.
    this.#count(-this.#busy, -this.#asleep);
    this.parent?.children.delete(this);
    this.#ending = true;
    this.abort(unitEnded);
    this.#ending = false;
    this.#finish(result);
  }

  /** True while neither this unit nor an ancestor has ended. */
  get active(): boolean {
    for (let unit: Unit | undefined = this; unit !== undefined; unit = unit.parent) if (unit.ended) return false;
    return true;
  }

  /** True while this unit or an ancestor ends and aborts what runs inside. */
  get isEnding(): boolean {
    return this.#ending || this.parent?.isEnding === true;
  }

  /** The permits under which this unit works, outermost first. */
  get permits(): readonly Permit[] {
    const outer = this.parent?.permits ?? [];
    return this.permit === undefined ? outer : [...outer, this.permit];
  }

  /** Counts an operation in or out, here and in every ancestor. Operations of a unit that has ended count no more. */
  countOperation(change: 1 | -1): void {
    if (!this.ended) this.#count(change, 0);
  }

  /** Counts a sleep in or out. */
  countSleep(change: 1 | -1): void {
    if (!this.ended) this.#count(0, change);
  }

  #count(operations: number, sleeps: number): void {
    for (let unit: Unit | undefined = this; unit !== undefined; unit = unit.parent) {
      unit.#busy += operations;
      unit.#asleep += sleeps;
    }
  }

  /** Counts an open request in or out. */
  countRequest(change: 1 | -1): void {
    for (let unit: Unit | undefined = this; unit !== undefined; unit = unit.parent) unit.#asking += change;
  }

  /** How many operations are under way, sleeps not counted. */
  get operations(): number {
    return this.#busy;
  }

  /** True while it works or sleeps. */
  get busy(): boolean {
    return this.#busy + this.#asleep > 0;
  }

  /** True when nothing is left to do in it until a person answers. */
  get waits(): boolean {
    return !this.busy && this.#asking > 0;
  }

  /** Remembers the time of an entry that this unit has seen. */
  see(at: number): void {
    if (at > this.now) this.now = at;
  }

  /** The scope of the next visit to a child: `classify`, then `classify#2`. */
  visit(name: string): string {
    const count = (this.visits.get(name) ?? 0) + 1;
    this.visits.set(name, count);
    return makeScope(this.scope, makePart({ name, visit: count }));
  }

  /** The scope that the next visit to a child will have. */
  nextVisit(name: string): string {
    const count = this.visits.get(name) ?? 0;
    const scope = this.visit(name);
    this.visits.set(name, count);
    return scope;
  }

  /** Continues after a dead branch, and takes neither its ordinals nor its visits again. */
  continueAfter(next: number, visits: ReadonlyMap<string, number>): void {
    this.nextOrdinal = Math.max(this.nextOrdinal, next);
    this.branch = next;
    this.drawn = 0;
    for (const [name, count] of visits) this.visits.set(name, Math.max(this.visits.get(name) ?? 0, count));
  }

  /** This unit and those inside it, innermost first. */
  withDescendants(): readonly Unit[] {
    return [...[...(this.#children ?? [])].flatMap((child) => child.withDescendants()), this];
  }
}

function nothing(): void {
  // A listener that was called at once is not kept.
}
