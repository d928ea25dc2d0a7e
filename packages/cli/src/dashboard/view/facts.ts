import type { JsonValue } from 'fullstop';
import type { Fact } from 'fullstop/convergence';
import { type JournalEntry, parseCycleKey, parseFactRef, parseSuggestorKey } from 'fullstop/journal';
import { isObject } from '../../journal/is-object.js';
import type { RunRecord } from '../../why/explain-run.js';

/** The facts of a run as far as its journal tells them. */
export interface FactsView {
  readonly convergences: readonly ConvergenceView[];
}

export interface ConvergenceView {
  /** The unit that it ran in. */
  readonly path: string;
  readonly cycles: readonly CycleView[];
  readonly facts: readonly FactRow[];
  readonly gates: readonly GateView[];
  /** The root over all facts, as the last merge recorded it. */
  readonly root?: string;
}

export interface CycleView {
  readonly seq: number;
  readonly at: number;
  readonly cycle: number;
  readonly promoted: readonly string[];
  readonly rejected: readonly RejectionView[];
  readonly violations: readonly string[];
  readonly awake: readonly string[];
  readonly facts: number;
  readonly root: string;
}

/** A fact with everything that its proof is about; without a content where the journal does not have it. */
export type FactRow = Omit<Fact, 'payload'> & { readonly seq: number; readonly payload?: JsonValue };

export interface RejectionView {
  readonly ref: string;
  readonly by: string;
  readonly why: string;
  readonly reason: string;
  readonly payload?: JsonValue;
}

export interface GateView {
  readonly gateId: string;
  readonly seq: number;
  readonly summary: string;
  readonly by?: string;
  /** Absent while nobody has decided. */
  readonly decision?: string;
  readonly reason?: string;
}

/** Puts the facts of every convergence in a run together from what was proposed and what each merge promoted. */
export function factsOf({ journal }: Pick<RunRecord, 'journal'>): FactsView {
  const readers = new Map<string, FactReader>();
  for (const entry of journal) {
    const isMerge = entry.type === 'recorded' && parseCycleKey(entry.key ?? '') !== undefined;
    const known = readers.get(entry.scope);
    const reader = known ?? new FactReader(entry.scope);
    if (known === undefined && (isMerge || mayBelong(entry))) readers.set(entry.scope, reader);
    readers.get(entry.scope)?.take(entry);
  }
  return {
    convergences: [...readers.values()].filter(({ cycles }) => cycles.length > 0).map((reader) => reader.view()),
  };
}

/** The state before the first merge of a convergence. */
function mayBelong({ type }: JournalEntry): boolean {
  return type === 'run_started';
}

interface Proposed {
  readonly by: string;
  readonly proposal: { readonly [key: string]: JsonValue };
  approval?: NonNullable<Fact['approval']>;
}

class FactReader {
  readonly #path: string;
  readonly cycles: CycleView[] = [];
  readonly #facts: FactRow[] = [];
  readonly #gates = new Map<string, GateView>();
  /** Everything that was proposed and not yet promoted or rejected, in order. */
  #open: Proposed[] = [];
  /** The proposals that wait at a gate, by the id of the question. */
  readonly #gated = new Map<string, Proposed>();

  constructor(path: string) {
    this.#path = path;
  }

  take(entry: JournalEntry): void {
    const { key = '' } = entry;
    if (entry.type === 'run_started')
      this.#propose('input', isObject(entry.data.input) ? entry.data.input['facts'] : []);
    if (entry.type === 'request_opened') this.#ask(entry);
    if (entry.type === 'request_answered') this.#answer(entry);
    if (entry.type === 'unit_ended')
      this.#propose(key, isObject(entry.data.output) ? entry.data.output['proposals'] : []);
    if ((entry.type !== 'step_ended' && entry.type !== 'recorded') || !entry.data.ok) return;
    const { value } = entry.data;
    if (!isObject(value)) return;
    const suggestor = parseSuggestorKey(key)?.suggestor;
    if (suggestor !== undefined) this.#propose(suggestor, value['proposals']);
    if (parseCycleKey(key) !== undefined) this.#merge(entry, value);
  }

  view(): ConvergenceView {
    const root = this.cycles.at(-1)?.root;
    return {
      path: this.#path,
      cycles: this.cycles,
      facts: this.#facts,
      gates: [...this.#gates.values()],
      ...(root !== undefined && { root }),
    };
  }

  #propose(by: string, proposals: JsonValue | undefined): void {
    for (const proposal of objects(proposals)) this.#open.push({ by, proposal });
  }

  #ask({ seq, data }: JournalEntry<'request_opened'>): void {
    const { id, type, summary = '', input, gate } = data.request;
    if (type !== 'gate') return;
    const by = gate?.agentId;
    this.#gates.set(id, { gateId: id, seq, summary, ...(by !== undefined && { by }) });
    if (!isObject(input)) return;
    const { by: _by, ...proposal } = input;
    const index = this.#open.findIndex((each) => matches(each, gate?.proposalId ?? ''));
    const known = index < 0 ? undefined : this.#open.splice(index, 1)[0];
    this.#gated.set(id, known ?? { by: by ?? 'input', proposal });
  }

  #answer({ at, data }: JournalEntry<'request_answered'>): void {
    const { requestId, decision, by, reason, value, expired } = data.answer;
    const gate = this.#gates.get(requestId);
    if (gate === undefined) return;
    const who = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
    const word = value === undefined ? 'approved' : 'modified';
    const passed = expired === true ? 'expired' : word;
    this.#gates.set(requestId, { ...gate, ...who, decision: decision === 'deny' ? 'rejected' : passed });
    const proposed = this.#gated.get(requestId);
    this.#gated.delete(requestId);
    if (proposed === undefined || decision === 'deny') return;
    const proposal = value === undefined ? proposed.proposal : { ...proposed.proposal, payload: value };
    const approval = {
      gateId: requestId,
      decision: passed,
      ...who,
      at: new Date(data.answer.at ?? at).toISOString(),
    } as const;
    this.#open.unshift({ by: proposed.by, proposal, approval });
  }

  #merge({ seq, at }: JournalEntry, value: { readonly [key: string]: JsonValue }): void {
    this.#propose('input', value['seeded']);
    const promoted = texts(value['promoted']);
    const cycle = Number(value['cycle']);
    const queue = this.#open;
    const rejected = objects(value['exceptions']).flatMap((each) =>
      each['type'] === 'rejected' ? [rejection(each, queue)] : [],
    );
    for (const ref of promoted) this.#promote(ref, { seq, cycle });
    this.cycles.push({
      seq,
      at,
      cycle,
      promoted,
      rejected,
      violations: violationsIn(value['violations']),
      awake: texts(value['awake']),
      facts: Number(value['facts']),
      root: String(value['root']),
    });
    const held = Number(value['held'] ?? 0);
    this.#open = held === 0 ? [] : this.#open.slice(-held);
  }

  #promote(ref: string, { seq, cycle }: { readonly seq: number; readonly cycle: number }): void {
    const exact = this.#open.findIndex((each) => matches(each, ref));
    const key = parseFactRef(ref)?.key;
    const index =
      exact >= 0
        ? exact
        : this.#open.findIndex(({ proposal }) => proposal['key'] === key && proposal['id'] === undefined);
    const found = index < 0 ? undefined : this.#open.splice(index, 1)[0];
    this.#facts.push(factRow(ref, found, { seq, cycle, clock: this.#facts.length + 1 }));
  }
}

function matches({ proposal }: Proposed, ref: string): boolean {
  return ref === `${String(proposal['key'])}/${String(proposal['id'])}`;
}

/** A fact as the run has it, by the same rules: what a proposal does not say has its usual value. */
function factRow(
  ref: string,
  found: Proposed | undefined,
  place: { readonly seq: number; readonly cycle: number; readonly clock: number },
): FactRow {
  const { key, id } = parseFactRef(ref) ?? { key: ref, id: '' };
  const by = found?.by ?? 'engine';
  const { family, version, confidence, provenance, subject, because, payload } = found?.proposal ?? {};
  return {
    ...place,
    ref,
    key,
    id,
    by,
    family: typeof family === 'string' ? family : key,
    version: typeof version === 'number' ? version : 1,
    confidence: typeof confidence === 'number' ? confidence : 1,
    provenance: typeof provenance === 'string' ? provenance : by,
    ...(typeof subject === 'string' && { subject }),
    ...(because !== undefined && { because: texts(because) }),
    ...(payload !== undefined && { payload }),
    ...(found?.approval !== undefined && { approval: found.approval }),
  };
}

function rejection(exception: { readonly [key: string]: JsonValue }, queue: readonly Proposed[]): RejectionView {
  const found = queue[Number(exception['at'])];
  const { key, id, payload } = found?.proposal ?? {};
  return {
    ref: id === undefined ? String(key ?? '?') : `${String(key)}/${String(id)}`,
    by: found?.by ?? '?',
    why: String(exception['why'] ?? ''),
    reason: String(exception['reason'] ?? ''),
    ...(payload !== undefined && { payload }),
  };
}

function violationsIn(value: JsonValue | undefined): readonly string[] {
  return objects(value).map(({ name, reason }) => `${String(name)}: ${String(reason)}`);
}

function objects(value: JsonValue | undefined): readonly { readonly [key: string]: JsonValue }[] {
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return list.filter((each): each is { readonly [key: string]: JsonValue } => isObject(each));
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
