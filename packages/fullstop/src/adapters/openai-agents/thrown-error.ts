import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { ForeignCause } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import { nameOfError, property } from '../core/thrown-cause.js';

interface RunFacts {
  readonly agent: string;
  readonly maxTurns: number | null;
  readonly turns: number;
}

/** The ending that an error of the SDK's own means; undefined for errors of providers and others. */
export function causeOfAgentsError(error: unknown, { agent, maxTurns, turns }: RunFacts): Cause | undefined {
  const name = nameOfError(error);
  const data = toErrorData(error, { data: false });
  switch (name) {
    case 'MaxTurnsExceededError': {
      const limit = maxTurns ?? turns;
      return ended('cap', { kind: 'max_iterations', limit, used: Math.max(limit, turns), unit: 'turn' });
    }
    case 'ModelRefusalError':
      return ended('step_error', {
        kind: 'agent_refused',
        agentId: agent,
        reason: String(property(error, 'refusal') ?? data.message),
        by: 'model',
      });
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
      return unfit(error, data);
    case 'UserError':
      return ended('step_error', { kind: 'failed', error: data, origin: 'loop', errorClass: 'configuration' });
    default:
      return undefined;
  }
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
