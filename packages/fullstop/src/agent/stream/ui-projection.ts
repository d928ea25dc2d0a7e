import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { ModelResponse } from '../../models/model-response.js';
import { itemsOf } from '../../run/log.js';
import type { JournalFold } from '../../run/machine/fold-journal.js';
import { parseCountedKey } from '../machine/agent-key.js';
import type { CallRecords } from '../machine/records.js';
import { answerOf } from '../machine/records.js';
import type { AgentState, Call, ToolCallRecord } from '../machine/state.js';
import { wordsOf } from './answer-pieces.js';
import { CallsInside } from './calls-inside.js';
import type { AgentDelta, DeltaPlace } from './deltas.js';
import { HandedConversation, type Turn } from './handed-conversation.js';
import type { UIMessageWriter } from './ui-message-writer.js';

/** How an agent reads its journals. */
export interface JournalReader {
  /** Folds a journal, and what comes later; notified of every state on the way. */
  fold(journal: readonly JournalEntry[], onState: (state: AgentState) => void): JournalFold<AgentState>;
  callRecords(state: AgentState, journal: readonly JournalEntry[]): CallRecords;
  /** True for the path of a unit in which another agent continues the conversation. */
  isHandedOver(path: string): boolean;
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
  #fold: JournalFold<AgentState> | undefined;
  /** How many entries the fold has. */
  #folded = 0;
  /** By the number of the call of the model; after a resume a number may have another answer than before. */
  readonly #answers = new Map<number, Answer>();
  readonly #requests = new Set<string>();
  /** True when a request was opened since the last state was written: a call may have waited for just that. */
  #hasAsked = false;
  /** The answer to which the calls of the latest state belong. */
  #latest: Answer | undefined;
  #answerCount = 0;
  /** The place of the latest answer of the run's own model. */
  #ownAnswer = -1;
  readonly #handed: HandedConversation;
  readonly #inside: CallsInside;
  /** The number of the call whose deltas are in place now; undefined while the loop does something else. */
  #expected: number | undefined;
  #modelCalls = 0;
  #early: AgentDelta[] = [];
  #isStale = false;

  constructor(reader: JournalReader, writer: UIMessageWriter, after: number) {
    this.#reader = reader;
    this.#writer = writer;
    this.#after = after;
    this.#handed = new HandedConversation(reader);
    this.#inside = new CallsInside(writer);
  }

  /** Deltas are written once everything before them is. */
  onDelta(delta: AgentDelta): void {
    if (delta.type === 'lost') return;
    const turn = delta.path === '' ? this.#turnOf(delta) : this.#handed.turnOf(delta);
    if (turn === 'now') this.#writer.onDelta(delta);
    else if (turn === 'later') this.#early.push(delta);
  }

  #turnOf({ key }: DeltaPlace): Turn {
    const number = parseCountedKey(key)?.number ?? 0;
    if (number === this.#expected) return 'now';
    return number > this.#modelCalls ? 'later' : 'never';
  }

  add(entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      this.#journal.push(entry);
      this.#note(entry);
      if (entry.type === 'segment_ended') this.#endSegment(entry);
      else if (entry.seq === this.#after) this.#project();
      if (entry.seq >= this.#after) this.#writer.unmute();
    }
    this.#project();
    const early = this.#early;
    this.#early = [];
    for (const delta of early) this.onDelta(delta);
  }

  #note(entry: JournalEntry): void {
    const { type, scope, data } = entry;
    this.#handed.note(entry);
    if (idle.has(type)) return;
    if (scope === '') {
      this.#isStale = true;
      if (type === 'request_opened') this.#ask(data.request.id);
    }
    // The call of the agent comes before those inside it.
    if (this.#inside.asks(entry)) this.#project();
    this.#inside.note(entry, this.#handed.has(scope));
    const answer = answerOf(entry);
    if (answer === undefined) return;
    const { number, response } = answer;
    if (scope === '') {
      this.#ownAnswer = this.#answerCount;
      this.#answers.set(number, { index: this.#answerCount, response });
    } else if (this.#handed.has(scope)) {
      // Everything that came before it, as the call that handed over did.
      this.#project();
      this.#writer.answer(this.#answerCount, wordsOf(response), new Set());
    } else return;
    this.#answerCount += 1;
  }

  #ask(requestId: string): void {
    this.#requests.add(requestId);
    this.#hasAsked = true;
  }

  #endSegment({ data, seq }: JournalEntry<'segment_ended'>): void {
    this.#isStale = true;
    const state = this.#project();
    if (state !== undefined) {
      const { toolCalls } = this.#reader.callRecords(state, this.#journal);
      for (const record of toolCalls.slice(state.toolCalls.length)) this.#writer.output(this.#ownAnswer, record, false);
    }
    this.#writer.endSegment(data.envelope, seq);
  }

  /** Writes what is new since the last time. A journal that these options cannot read has its ending all the same. */
  #project(): AgentState | undefined {
    if (!this.#isStale) return undefined;
    this.#isStale = false;
    try {
      const state = this.#foldOn().state();
      this.#writeAsked(state);
      this.#modelCalls = state.counts.modelCalls;
      this.#expected = state.phase === 'model' && state.ending === null ? this.#modelCalls + 1 : undefined;
      return state;
    } catch {
      this.#fold = undefined;
      return undefined;
    }
  }

  /** Continues the fold, or begins anew where what is new changes what was before. */
  #foldOn(): JournalFold<AgentState> {
    const more = this.#journal.slice(this.#folded);
    this.#folded = this.#journal.length;
    if (this.#fold?.add(more) !== true) this.#fold = this.#reader.fold(this.#journal, this.#stateWriter());
    return this.#fold;
  }

  /** A request is opened after the state that asks for it. */
  #writeAsked({ round }: AgentState): void {
    if (!this.#hasAsked) return;
    this.#hasAsked = false;
    const asking = round.filter(({ stage }) => stage === 'asking');
    if (this.#latest !== undefined) this.#writeCalls(this.#latest, asking, []);
  }

  /** Writes one state after the other, from the first on; the writer passes over what it has written before. */
  #stateWriter(): (state: AgentState) => void {
    this.#latest = undefined;
    let round: AgentState['round'] = [];
    let known = 0;
    return (state) => {
      const records = state.toolCalls.length > known ? itemsOf(state.toolCalls).slice(known) : [];
      known = state.toolCalls.length;
      const taken = state.round === round ? [] : state.round;
      round = state.round;
      const answer = this.#answers.get(state.counts.modelCalls);
      if (answer !== undefined && answer !== this.#latest) {
        this.#latest = answer;
        this.#writer.answer(answer.index, answer.response, new Set([...taken, ...records].map(({ id }) => id)));
      }
      if (this.#latest !== undefined) this.#writeCalls(this.#latest, taken, records);
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
