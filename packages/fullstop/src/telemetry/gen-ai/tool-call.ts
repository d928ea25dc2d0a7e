import type { Attributes } from '@opentelemetry/api';
import type { ToolStep } from '../journal/model-step.js';
import type { SpanOfWork, Timed } from '../spans/span-tree.js';
import type { GenAiInstruments } from './gen-ai-instruments.js';

/** A tool call and the agent that made it. */
interface ToolCall extends ToolStep {
  readonly agent: string;
}

const toolType = 'function';

/** The span of a tool call; with the GenAI conventions its name and attributes are theirs. */
export function toolSpan(call: ToolCall, { from, to }: Timed, conventions: boolean): SpanOfWork {
  const { tool, callId, agent, failure } = call;
  const error = failure === undefined ? undefined : { type: failure, message: failure };
  if (!conventions) return { name: 'fullstop.tool', from, to, attributes: { 'fullstop.tool': tool }, error };
  const attributes: Attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': toolType,
    'gen_ai.agent.name': agent,
  };
  if (callId !== undefined) attributes['gen_ai.tool.call.id'] = callId;
  return { name: `execute_tool ${tool}`, from, to, attributes, error };
}

/** Records how long a tool call took. */
export function recordToolCall(instruments: GenAiInstruments, call: ToolCall, { from, to }: Timed): void {
  instruments.toolDuration.record((to - from) / 1000, {
    'gen_ai.tool.name': call.tool,
    'gen_ai.tool.type': toolType,
    'gen_ai.agent.name': call.agent,
    'error.type': call.failure,
  });
}
