import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { nameOfError, property } from '../core/thrown-cause.js';
import type { GraphConfig } from './structure.js';

/** The ending that an error of LangGraph or LangChain itself means; undefined for errors of providers and others. */
export function causeOfGraphError(error: unknown, config: GraphConfig, elapsedMs: number): Cause | undefined {
  const { message } = toErrorData(error, { data: false, stack: false });
  switch (nameOfError(error)) {
    case 'GraphRecursionError': {
      // The limit in force is in the message alone: it may be the caller's, the graph's or the usual one.
      const limit = Number(/limit of (\d+)/i.exec(message)?.[1] ?? config.recursionLimit);
      return ended('cap', { kind: 'max_iterations', limit, used: limit, unit: 'step' });
    }
    case 'ModelCallLimitMiddlewareError':
      return causeOfModelLimit(message);
    case 'ToolCallLimitExceededError': {
      const used = numberOf(property(error, 'runCount')) ?? numberOf(property(error, 'threadCount')) ?? 1;
      const limit = numberOf(property(error, 'runLimit')) ?? numberOf(property(error, 'threadLimit')) ?? used;
      return ended('cap', { kind: 'max_tool_calls', limit, used: Math.max(limit, used) });
    }
    case 'NodeTimeoutError': {
      const limitMs = numberOf(property(error, 'timeout')) ?? elapsedMs;
      const spent = numberOf(property(error, 'elapsed')) ?? limitMs;
      return ended('budget', { kind: 'time_budget', limitMs, elapsedMs: Math.max(limitMs, spent), scope: 'step' });
    }
    case 'TimeoutError': {
      const { timeout: limitMs } = config;
      if (limitMs === undefined) return undefined;
      return ended('budget', { kind: 'time_budget', limitMs, elapsedMs: Math.max(limitMs, elapsedMs), scope: 'run' });
    }
    case 'GraphDrained':
      return ended('cancelled', { kind: 'cancelled', by: 'signal', reason: message });
    case 'StructuredOutputParsingError':
    case 'MultipleStructuredOutputsError':
      return ended('step_error', { kind: 'schema_validation', violations: [{ path: '', message }], received: null });
    default:
      return undefined;
  }
}

/** The limit in the sentence with which LangChain's middleware ends a run. */
export function causeOfModelLimit(text: string): Cause | undefined {
  const used = Number(/^Model call limits exceeded: .*call limit reached with (\d+) model calls/.exec(text)?.[1]);
  return Number.isNaN(used) ? undefined : ended('cap', { kind: 'max_iterations', limit: used, used, unit: 'turn' });
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function ended(slot: Cause['slot'], termination: { readonly kind: string } & Readonly<Record<string, unknown>>): Cause {
  return { slot, termination: termination as unknown as Ending };
}
