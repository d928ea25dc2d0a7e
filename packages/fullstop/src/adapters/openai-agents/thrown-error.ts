import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import type { ForeignCause } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import { nameOfError, property } from '../core/thrown-cause.js';

/** Everything about a run that an error of the SDK does not say. */
export interface RunFacts {
  readonly agent: string;
  readonly maxTurns: number | null;
  readonly turns: number;
  /** The provider's word for why the last answer ended, where it was heard. */
  readonly finish: string | undefined;
}

/** The ending that an error of the SDK's own means; undefined for errors of providers and others. */
export function causeOfAgentsError(error: unknown, facts: RunFacts): Cause | undefined {
  const { agent, maxTurns, turns } = facts;
  const name = nameOfError(error);
  const data = toErrorData(error, { data: false });
  switch (name) {
    case 'MaxTurnsExceededError': {
      const limit = maxTurns ?? turns;
      return ended('cap', { kind: 'max_iterations', limit, used: Math.max(limit, turns), unit: 'turn' });
    }
    case 'ModelRefusalError': {
      const reason = String(property(error, 'refusal') ?? data.message);
      const by = reason === filterWords ? 'filter' : 'model';
      return ended('step_error', { kind: 'agent_refused', agentId: agent, reason, by });
    }
    case 'InputGuardrailTripwireTriggered':
    case 'OutputGuardrailTripwireTriggered':
    case 'ToolInputGuardrailTripwireTriggered':
    case 'ToolOutputGuardrailTripwireTriggered': {
      const guardrail = property(property(property(error, 'result'), 'guardrail'), 'name');
      const by = { type: 'hook', name: typeof guardrail === 'string' ? guardrail : name };
      return ended('halted', { kind: 'halted', by, reason: data.message });
    }
    case 'ToolTimeoutError':
    case 'ModelTimeoutError': {
      const limitMs = Number(property(error, 'timeoutMs'));
      const scope = name === 'ToolTimeoutError' ? 'tool' : 'model';
      return ended('budget', { kind: 'time_budget', limitMs, elapsedMs: limitMs, scope });
    }
    case 'ToolCallError': {
      const inner = toErrorData(property(error, 'error') ?? error, { data: false });
      return ended('step_error', { kind: 'failed', error: inner, origin: 'tool', errorClass: 'unknown' });
    }
    case 'ModelBehaviorError':
    case 'InvalidToolInputError':
      return causeOfIncomplete(data.message, facts) ?? unfit(error, data);
    case 'UserError':
      return ended('step_error', { kind: 'failed', error: data, origin: 'loop', errorClass: 'configuration' });
    default:
      return undefined;
  }
}

// The SDK makes a refusal with this text of an answer that a filter of the provider has emptied.
const filterWords = "Response withheld by the provider's content filter.";

/** An answer that was cut off or withheld. The SDK throws it away, and the reason with it; only a stream lets it be heard before. */
function causeOfIncomplete(message: string, { agent, finish }: RunFacts): Cause | undefined {
  if (message.includes("finish_reason='length'"))
    return ended('step_error', { kind: 'output_truncated', reason: 'thinking_starved' });
  if (!message.includes('"response.incomplete"')) return undefined;
  if (finish !== undefined) return causeOfAnswer({ agent, text: message, finish });
  return ended('step_error', { kind: 'indeterminate', candidates: ['output_truncated', 'agent_refused'] });
}

/** The SDK has one error for all that a model can do wrong; only its message says what it was. */
function unfit(error: unknown, data: ReturnType<typeof toErrorData>): Cause {
  if (/invalid (final )?output/i.test(data.message)) {
    const received = toJournalJson(property(error, 'output') ?? null);
    return ended('step_error', {
      kind: 'schema_validation',
      violations: [{ path: '', message: data.message }],
      received,
    });
  }
  // Another attempt may do better: it was the model's mistake.
  return ended('step_error', { kind: 'failed', error: data, origin: 'loop', errorClass: 'external' });
}

function ended(slot: Cause['slot'], termination: { readonly kind: string } & Readonly<Record<string, unknown>>): Cause {
  return { slot, termination: termination as unknown as Ending };
}

/** The same at a point of a step. */
export function atIteration(cause: Cause): ForeignCause {
  return { ...cause, point: 'after_iteration' };
}
