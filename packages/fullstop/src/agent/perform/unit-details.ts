import { isStructuredAnswer } from '../../models/scripted/structured-answer.js';
import { itemsOf } from '../../run/log.js';
import type { RunEnd } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { AgentState } from '../machine/state.js';
import type { UnitDetails } from '../machine/unit-outcome.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { failureOf } from './failure-of.js';

/** Everything about an agent inside another one besides its ending. */
export function unitDetails(ended: RunEnd<Ending>, state: AgentState, options: AnyAgentOptions): UnitDetails {
  const { usage, costUsd, estimated, text, children } = state;
  const failure = failureOf(ended.termination, options);
  const said = itemsOf(state.messages).at(-1);
  const structured = said?.role === 'assistant' && typeof said.content !== 'string' && isStructuredAnswer(said.content);
  return {
    output: (ended.output ?? null) as JsonValue,
    ...(ended.output === null && { isNull: true }),
    text,
    ...(structured && { structured }),
    usage,
    costUsd,
    ...(estimated && { estimated }),
    ...(children.length > 0 && { children: itemsOf(children) }),
    ...(failure !== undefined && { failure }),
  };
}
