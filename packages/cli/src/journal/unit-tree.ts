import type { AnyTermination, JsonObject, JsonValue } from 'fullstop';
import {
  activeTimes,
  addUsd,
  attemptScope,
  type EntryData,
  isModelKey,
  type JournalEntry,
  makePart,
  makeScope,
  parseStepKey,
} from 'fullstop/journal';
import { type CycleObservation, cycleObservation } from './cycle-observation.js';
import { RecordedStep, type StepNode } from './step-node.js';
import { stepProblem } from './step-problem.js';
import { isUnpriced } from './value-text.js';

/** A unit of a run, with everything that happened in it. */
export interface UnitNode {
  name: string;
  /** Its scope; empty for the run itself. */
  readonly path: string;
  readonly depth: number;
  /** The entry that opened it. */
  readonly seq: number;
  startedAt: number;
  endedAt: number | undefined;
  /** The entry that ended it; undefined while it continues. */
  endSeq: number | undefined;
  /** From its first beginning to its last ending, without waits for people and times without an owner. */
  activeMs: number;
  attempts: number;
  termination: AnyTermination | undefined;
  also: readonly AnyTermination[];
  output: JsonValue | undefined;
  /** Of the unit itself, without its children. */
  readonly own: Spent;
  readonly steps: StepNode[];
  /** True where it asks a model in a loop: what it observes is the loop, never a workflow. */
  loops: boolean;
  /** The merges of a convergence. */
  readonly merges: CycleObservation[];
  readonly observations: { readonly seq: number; readonly at: number; readonly data: JsonObject }[];
  readonly children: UnitNode[];
  /** The runs that it spawned. */
  readonly spawned: { readonly runId: string; readonly name: string }[];
}

export interface Spent {
  tokens: number;
  costUsd: number;
  /** True when some of it was guessed. */
  estimated?: boolean;
  /** True when some of it has no known price. */
  unpriced?: boolean;
}

/** Puts the units of a journal together; the run itself is the root. */
export function unitTree(entries: readonly JournalEntry[]): UnitNode {
  return new UnitTree().grow(entries);
}

/** All units, each before its children. */
export function allUnits(root: UnitNode): readonly UnitNode[] {
  return [root, ...root.children.flatMap(allUnits)];
}

/** The observations that a workflow made of itself. Those of a loop are many, and need not be read to know that they are something else. */
export function workflowObservations({ loops, observations }: UnitNode): UnitNode['observations'] {
  return loops ? [] : observations;
}

/** The usage of a unit and everything below it. */
export function spentBy({ own, children }: UnitNode): Spent {
  const sum: Spent = { ...own };
  for (const below of children.map(spentBy)) {
    sum.tokens += below.tokens;
    sum.costUsd = addUsd(sum.costUsd, below.costUsd);
    if (below.estimated === true) sum.estimated = true;
    if (below.unpriced === true) sum.unpriced = true;
  }
  return sum;
}

/** The units of a journal that grows: each entry is taken in once. */
export class UnitTree {
  readonly #root: UnitNode = newUnit({ name: '', path: '', depth: 0, seq: 0, at: 0 });
  readonly #timed = new Set<UnitNode>();
  readonly #units = new Map<string, UnitNode>();
  /** The unit that was opened at an operation of another, and what it is called in the journal. */
  readonly #openings = new Map<string, UnitNode>();
  readonly #visits = new Map<string, number>();
  readonly #lastAt = new Map<string, number>();
  #taken = 0;

  constructor() {
    this.#units.set('', this.#root);
  }

  /** Takes in what is new in a journal that begins with the entries that were taken in before, and returns its root. */
  grow(journal: readonly JournalEntry[]): UnitNode {
    this.takeUntil(journal, journal.length);
    this.#time(journal);
    return this.#root;
  }

  /** The same up to a place, for whoever has not seen the rest yet: how long units worked is known at the end. */
  takeUntil(journal: readonly JournalEntry[], end: number): void {
    const [first] = journal;
    if (this.#taken === 0 && first !== undefined) {
      const name = first.type === 'run_started' ? first.data.name : '';
      Object.assign(this.#root, { name, startedAt: first.at });
    }
    for (; this.#taken < end; this.#taken += 1) this.#take(journal[this.#taken] as JournalEntry);
  }

  /** How long a unit worked is known from the whole journal only: a later entry may say that nobody did for a while. */
  #time(journal: readonly JournalEntry[]): void {
    const activeAt = activeTimes(journal);
    for (const unit of this.#timed)
      if (unit.endedAt !== undefined) unit.activeMs = activeAt(unit.endedAt) - activeAt(unit.startedAt);
  }

  #take(entry: JournalEntry): void {
    const unit = this.#units.get(entry.scope) ?? this.#root;
    switch (entry.type) {
      case 'scope_opened':
        this.#open(unit, entry);
        break;
      case 'unit_ended':
        this.#end(unit, entry);
        break;
      case 'step_ended':
      case 'recorded':
        addStep(unit, entry, this.#since(entry));
        break;
      case 'sleep_ended':
        this.#pass(unit, entry, { type: 'sleep', key: entry.key ?? 'sleep' });
        break;
      case 'request_answered':
        this.#pass(unit, entry, { type: 'wait', key: entry.data.answer.requestId, value: answerValue(entry.data) });
        break;
      case 'observed':
        unit.observations.push(entry);
        break;
      case 'child_spawned':
        unit.spawned.push(entry.data);
        break;
      case 'segment_opened':
        Object.assign(this.#root, { endedAt: undefined, endSeq: undefined });
        break;
      case 'segment_ended':
        finish(this.#root, entry);
        break;
      default:
        break;
    }
    this.#lastAt.set(entry.scope, entry.at);
  }

  /** The time since the entry before it in the same unit. */
  #since({ scope, at }: JournalEntry): number {
    return Math.max(0, at - (this.#lastAt.get(scope) ?? at));
  }

  #pass(unit: UnitNode, entry: JournalEntry, what: Pick<StepNode, 'key' | 'type' | 'value'>): void {
    const { seq, at } = entry;
    unit.steps.push({ ...what, seq, at, durationMs: this.#since(entry), attempts: 1, ok: true });
  }

  #open(parent: UnitNode, entry: JournalEntry<'scope_opened'>): void {
    const place = `${entry.scope}\n${entry.ordinal}`;
    const known = this.#openings.get(place);
    const { name, attempt } = entry.data;
    if (known !== undefined) {
      known.attempts = attempt;
      known.endedAt = undefined;
      known.endSeq = undefined;
      // A new attempt after an explicit ending begins with a scope of its own.
      this.#units.set(attemptScope(known.path, attempt), known);
      return;
    }
    const visitKey = `${entry.scope}\n${name}`;
    const visit = (this.#visits.get(visitKey) ?? 0) + 1;
    this.#visits.set(visitKey, visit);
    const path = makeScope(entry.scope, makePart({ name, visit }));
    const unit = newUnit({ name, path, depth: parent.depth + 1, seq: entry.seq, at: entry.at });
    parent.children.push(unit);
    this.#units.set(path, unit);
    this.#openings.set(place, unit);
  }

  #end(parent: UnitNode, entry: JournalEntry<'unit_ended'>): void {
    const unit = this.#openings.get(`${entry.scope}\n${entry.ordinal}`);
    const { termination, also = [], output } = entry.data;
    if (unit === undefined) {
      // A step with an ending of its own.
      parent.children.push({
        ...newUnit({
          name: entry.key ?? '',
          path: makeScope(entry.scope, entry.key ?? ''),
          depth: parent.depth + 1,
          seq: entry.seq,
          at: entry.at,
        }),
        endedAt: entry.at,
        endSeq: entry.seq,
        termination,
        also,
        output,
      });
      return;
    }
    Object.assign(unit, { termination, also, output, endedAt: entry.at, endSeq: entry.seq });
    this.#timed.add(unit);
  }
}

function newUnit({
  name,
  path,
  depth,
  seq,
  at,
}: Pick<UnitNode, 'depth' | 'name' | 'path' | 'seq'> & { readonly at: number }): UnitNode {
  return {
    name,
    path,
    depth,
    seq,
    startedAt: at,
    endedAt: undefined,
    endSeq: undefined,
    activeMs: 0,
    attempts: 1,
    termination: undefined,
    also: [],
    output: undefined,
    own: { tokens: 0, costUsd: 0 },
    steps: [],
    loops: false,
    merges: [],
    observations: [],
    children: [],
    spawned: [],
  };
}

function addStep(unit: UnitNode, entry: JournalEntry<'step_ended' | 'recorded'>, durationMs: number): void {
  const { data, type, key = '' } = entry;
  const { charge } = data;
  const error = stepProblem(key, data);
  const ok = error === undefined;
  if (charge !== undefined) {
    unit.own.tokens += (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
    unit.own.costUsd = addUsd(unit.own.costUsd, charge.costUsd ?? 0);
    if (charge.estimated === true) unit.own.estimated = true;
    if (isUnpriced(charge)) unit.own.unpriced = true;
  }
  if (isModelKey(key)) unit.loops = true;
  const merge = cycleObservation(entry);
  if (merge !== undefined) unit.merges.push(merge);
  // Callbacks are answers to the run itself, not something that it did; but for steps that compute a value.
  if (type === 'recorded' && ok && parseStepKey(key)?.type !== 'set') return;
  unit.steps.push(new RecordedStep(entry, { durationMs, error }));
}

function answerValue({ answer }: EntryData['request_answered']): JsonValue {
  const { decision, value, by, reason, expired } = answer;
  return {
    decision,
    ...(value !== undefined && { value }),
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason }),
    ...(expired === true && { expired }),
  };
}

function finish(root: UnitNode, { at, seq, data }: JournalEntry<'segment_ended'>): void {
  const { termination, also, output, durationMs } = data.envelope;
  Object.assign(root, { termination, also, output, endedAt: at, endSeq: seq, activeMs: durationMs });
}
