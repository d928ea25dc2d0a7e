import { isStructuredAnswer } from '../../models/scripted/structured-answer.js';
import { itemsOf } from '../../run/log.js';
import type { RunEnd } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { AgentState } from '../machine/state.js';
import type { UnitDetails } from '../machine/unit-outcome.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { failureOf } from './failure-of.js';

/** The details of an agent that ran inside another one. */
export function unitDetails(ended: RunEnd<Ending>, state: AgentState, options: AnyAgentOptions): UnitDetails {
  const { usage, costUsd, estimated, text } = state;
  const failure = failureOf(ended.termination, options);
  const output = (ended.output ?? null) as JsonValue;
  const said = itemsOf(state.messages).at(-1);
  const structured = said?.role === 'assistant' && typeof said.content !== 'string' && isStructuredAnswer(said.content);
  return {
    output,
    text,
    ...(structured && { structured }),
    usage,
    costUsd,
    ...(estimated && { estimated }),
    ...(failure !== undefined && { failure }),
  };
}
