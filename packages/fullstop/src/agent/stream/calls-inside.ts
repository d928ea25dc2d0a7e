import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { ModelToolCall } from '../../models/model-response.js';
import { isWithin, makeScope, withoutMarks } from '../../run/journal/scope-path.js';
import type { JsonValue } from '../../termination/json.js';
import { makeAskedIds, makeCallUnit, parseCallKey } from '../machine/agent-key.js';
import { isOutcome } from '../machine/call-key.js';
import { answerOf } from '../machine/records.js';
import type { ToolOutcome } from '../machine/state.js';
import { isCutOff, unitOutcome } from '../machine/unit-outcome.js';
import type { UIMessageWriter } from './ui-message-writer.js';

/** A call of an agent inside the run that someone was asked about. */
interface AskedCall {
  /** The id of its part. The ids of calls are unique in one agent only, so it is that of the request. */
  readonly partId: string;
  readonly scope: string;
  readonly tool: string;
  readonly input: JsonValue;
  /** The model's call, where the journal has it. */
  readonly call?: { readonly id: string; readonly number: number };
  /** A result that a hook may still change; it stands when the round is over. */
  outcome?: ToolOutcome;
}

/**
 * Writes the calls that agents inside a run ask people about: they are parts of the message, because the answer is given
 * there. Their other calls are their own.
 */
export class CallsInside {
  readonly #writer: UIMessageWriter;
  /** The calls of the latest answer of each agent, by its scope. */
  readonly #answers = new Map<string, readonly ModelToolCall[]>();
  /** By request; a call has two where its result is asked for after its approval. */
  readonly #asked = new Map<string, AskedCall>();
  readonly #known = new WeakSet<AskedCall>();
  /** The requests that ask whether a call may be made, and not for its result. */
  readonly #approvals = new Set<string>();

  constructor(writer: UIMessageWriter) {
    this.#writer = writer;
  }

  /** True for an entry before which everything else has to be written. */
  asks({ type, scope }: JournalEntry): boolean {
    return type === 'request_opened' && scope !== '';
  }

  /** Writes what an entry says; `isHandedOver` for one of an agent that has the conversation. */
  note(entry: JournalEntry, isHandedOver: boolean): void {
    const { type, scope, data } = entry;
    if (type === 'unit_ended') this.#endUnit(entry);
    if (scope === '') return;
    if (type === 'request_opened') this.#ask(scope, data.request, isHandedOver);
    else if (type === 'request_withdrawn') this.#withdraw(data.requestId);
    // After `escalate` it is opened again; approving and rejecting are answers.
    else if (type === 'request_expired' && data.onExpiry === 'end') this.#withdraw(data.requestId);
    else if (type === 'request_answered') this.#answer(entry);
    else if (type === 'step_ended' || type === 'recorded') this.#settle(entry);
  }

  #ask(scope: string, request: OpenRequest, isHandedOver: boolean): void {
    const { id: requestId, type, tool } = request;
    if (tool === undefined || (type !== 'approval' && type !== 'client_tool')) return;
    const asked = this.#asked.get(requestId) ?? this.#find(scope, { ...request, tool });
    // One that is asked about again has its part.
    if (!this.#known.has(asked)) this.#writer.beginStepInside(isHandedOver);
    this.#known.add(asked);
    this.#asked.set(requestId, asked);
    if (type === 'approval') this.#approvals.add(requestId);
    const { partId: id, input } = asked;
    const call = { id, tool, input, requestId, stage: 'asking', outcome: null } as const;
    this.#writer.call('inside', call, type === 'approval');
  }

  #find(scope: string, request: OpenRequest & { readonly tool: string }): AskedCall {
    const { id: requestId, tool, input = {} } = request;
    for (const [index, { id }] of (this.#answers.get(scope) ?? []).entries()) {
      // It was asked about at most as often as anything was asked.
      for (let times = 1; times <= this.#asked.size + 1; times += 1) {
        const ids = makeAskedIds(scope, id, times);
        const call = { id, number: index + 1 };
        if (ids.includes(requestId)) return this.#knownAs(ids) ?? { partId: ids[0], scope, tool, input, call };
      }
    }
    return { partId: requestId, scope, tool, input };
  }

  #knownAs(ids: readonly string[]): AskedCall | undefined {
    return ids.map((id) => this.#asked.get(id)).find((asked) => asked !== undefined);
  }

  #withdraw(requestId: string): void {
    const asked = this.#asked.get(requestId);
    if (asked !== undefined) this.#writer.withdraw(asked.partId);
  }

  #answer({ data: { answer } }: JournalEntry<'request_answered'>): void {
    const { requestId, decision, reason, value = null } = answer;
    const asked = this.#asked.get(requestId);
    if (asked === undefined) return;
    if (this.#approvals.has(requestId)) {
      if (decision !== 'approve')
        this.#write(asked, { output: { type: 'execution-denied', ...(reason !== undefined && { reason }) } });
    } else if (decision === 'value') asked.outcome = { output: { type: 'json', value } };
    else this.#write(asked, { output: { type: 'error-text', value: reason ?? 'The tool returned no result.' } });
  }

  #settle(entry: JournalEntry<'step_ended' | 'recorded'>): void {
    const { scope, key = '', data } = entry;
    const answer = answerOf(entry);
    if (answer !== undefined) {
      this.#endRounds((asked) => asked.scope === scope);
      this.#answers.set(scope, answer.response.toolCalls);
      return;
    }
    const place = parseCallKey(key);
    const asked = this.#of(scope, ({ call }) => call !== undefined && call.number === place?.number);
    if (asked === undefined || place === undefined) return;
    if (data.ok) {
      if (isOutcome(data.value)) this.#write(asked, data.value);
    } else if (data.stopped !== true && data.refusal === undefined)
      this.#write(asked, { output: { type: 'error-text', value: data.error.message }, error: data.error });
  }

  /** A unit is the call of an agent, or the agent whose calls were asked about. */
  #endUnit({ scope, key = '', data }: JournalEntry<'unit_ended'>): void {
    const result = { also: [], ...data };
    // A later segment continues it.
    if (isCutOff(result)) return;
    const called = this.#of(scope, ({ call, tool }) => call !== undefined && makeCallUnit({ ...call, tool }) === key);
    if (called?.call !== undefined) called.outcome = unitOutcome({ id: called.call.id, tool: called.tool }, result);
    const unit = withoutMarks(makeScope(scope, key));
    this.#endRounds((asked) => isWithin(withoutMarks(asked.scope), unit));
  }

  /** A call that is not settled when its round is over was not made. */
  #endRounds(isOver: (asked: AskedCall) => boolean): void {
    for (const [requestId, asked] of this.#asked) {
      if (!isOver(asked)) continue;
      if (asked.outcome === undefined) this.#writer.withdraw(asked.partId);
      else this.#write(asked, asked.outcome);
      this.#asked.delete(requestId);
    }
  }

  #of(scope: string, isIt: (asked: AskedCall) => boolean): AskedCall | undefined {
    return [...this.#asked.values()].find((asked) => asked.scope === scope && isIt(asked));
  }

  #write({ partId: id, tool, input }: AskedCall, { output, error }: ToolOutcome): void {
    const record = { id, iteration: 0, tool, input, output, ...(error !== undefined && { error }) };
    this.#writer.output('inside', record, true);
  }
}
