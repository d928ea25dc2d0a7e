import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { ModelResponse } from '../../models/model-response.js';
import { itemsOf } from '../../run/log.js';
import { parseCountedKey } from '../machine/agent-key.js';
import type { CallRecords } from '../machine/records.js';
import type { AgentState, Call, ModelOutcome, ToolCallRecord } from '../machine/state.js';
import type { AgentDelta } from './deltas.js';
import type { UIMessageWriter } from './ui-message-writer.js';

/** How an agent reads its journals. */
export interface JournalReader {
  /** Folds a journal; notified of every state on the way. */
  fold(journal: readonly JournalEntry[], onState: (state: AgentState) => void): AgentState;
  callRecords(state: AgentState, journal: readonly JournalEntry[]): CallRecords;
}

interface Answer {
  /** Its place among all answers in the journal, counted from 0. */
  readonly index: number;
  readonly response: ModelResponse;
}

/** The entries after which the loop is where it was before. */
const idle: ReadonlySet<string> = new Set(['emitted', 'observed', 'step_noted', 'step_started']);

/** Writes the journal of a run, as it grows, as a UI message: the same one however it is cut into pages. */
export class UIProjection {
  readonly #reader: JournalReader;
  readonly #writer: UIMessageWriter;
  /** The entries up to here were written before. */
  readonly #after: number;
  readonly #journal: JournalEntry[] = [];
  /** By the number of the call of the model; after a resume a number may have another answer than before. */
  readonly #answers = new Map<number, Answer>();
  readonly #requests = new Set<string>();
  #answerCount = 0;
  /** The number of the call whose deltas are in place now; undefined while the loop does something else. */
  #expected: number | undefined;
  #modelCalls = 0;
  #early: AgentDelta[] = [];
  #isStale = false;

  constructor(reader: JournalReader, writer: UIMessageWriter, after: number) {
    this.#reader = reader;
    this.#writer = writer;
    this.#after = after;
  }

  /** Deltas are written once everything before them is. */
  onDelta(delta: AgentDelta): void {
    if (delta.type === 'lost' || delta.path !== '') return;
    const number = parseCountedKey(delta.key)?.number ?? 0;
    if (number === this.#expected) this.#writer.onDelta(delta);
    else if (number > this.#modelCalls) this.#early.push(delta);
  }

  add(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#journal.push(entry);
      this.#note(entry);
      if (entry.type === 'segment_ended') this.#endSegment(entry);
      else if (entry.seq === this.#after) this.#project();
      if (entry.seq >= this.#after) this.#writer.unmute();
    }
    const state = this.#project();
    if (state === undefined) return;
    this.#modelCalls = state.counts.modelCalls;
    this.#expected = state.phase === 'model' && state.ending === null ? this.#modelCalls + 1 : undefined;
    const early = this.#early;
    this.#early = [];
    for (const delta of early) this.onDelta(delta);
  }

  #note(entry: JournalEntry): void {
    const { type, scope, key = '', data } = entry;
    if (scope !== '' || idle.has(type)) return;
    this.#isStale = true;
    if (type === 'request_opened') this.#requests.add(data.request.id);
    if (type !== 'step_ended' || !data.ok) return;
    const { word, number = 0 } = parseCountedKey(key) ?? {};
    const { response } = (data.value ?? {}) as Partial<ModelOutcome>;
    if (word !== 'model' || response === undefined) return;
    this.#answers.set(number, { index: this.#answerCount, response });
    this.#answerCount += 1;
  }

  #endSegment({ data, seq }: JournalEntry<'segment_ended'>): void {
    this.#isStale = true;
    const state = this.#project();
    if (state !== undefined) {
      const { toolCalls } = this.#reader.callRecords(state, this.#journal);
      for (const record of toolCalls.slice(state.toolCalls.length))
        this.#writer.output(this.#answerCount - 1, record, false);
    }
    this.#writer.endSegment(data.envelope, seq);
  }

  /** Writes what is new since the last time. A journal that these options cannot read has its ending all the same. */
  #project(): AgentState | undefined {
    if (!this.#isStale) return undefined;
    this.#isStale = false;
    try {
      return this.#reader.fold(this.#journal, this.#stateWriter());
    } catch {
      return undefined;
    }
  }

  /** Writes one state after the other, from the first on; the writer passes over what it has written before. */
  #stateWriter(): (state: AgentState) => void {
    let latest: Answer | undefined;
    let round: AgentState['round'] = [];
    let known = 0;
    return (state) => {
      const records = state.toolCalls.length > known ? itemsOf(state.toolCalls).slice(known) : [];
      known = state.toolCalls.length;
      const taken = state.round === round ? [] : state.round;
      round = state.round;
      const answer = this.#answers.get(state.counts.modelCalls);
      if (answer !== undefined && answer !== latest) {
        latest = answer;
        this.#writer.answer(answer.index, answer.response, new Set([...taken, ...records].map(({ id }) => id)));
      }
      if (latest !== undefined) this.#writeCalls(latest, taken, records);
    };
  }

  #writeCalls({ index }: Answer, round: readonly Call[], records: readonly ToolCallRecord[]): void {
    for (const call of round) {
      const isAsked = call.stage === 'asking' && this.#requests.has(call.requestId ?? '');
      this.#writer.call(index, call, isAsked);
    }
    for (const record of records) this.#writer.output(index, record, true);
  }
}
