import type { RunnableDefinition } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { RunContext, RunEnd } from '../../run/run-context.js';
import { asUnitContext } from '../../run/unit/unit-context.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { UnitDetails } from '../machine/unit-outcome.js';
import type { AgentInput } from '../options/agent-options.js';
import { done } from '../perform/failure-of.js';
import type { ToolLike, ToolSet } from './tool.js';

/** A member of the tool, so that a copy of it with other options spawns the same agent. */
const spawned: unique symbol = Symbol.for('fullstop.spawned-agent') as never;

/** Marks a tool whose calls are runs of an agent on their own. */
export function asSpawning<TTool extends ToolLike>(tool: TTool, agent: RunnableDefinition): TTool {
  return { ...tool, [spawned]: agent };
}

/** The agents that tools run as runs of their own: whoever executes runs with these tools executes those too. */
export function spawnedBy(tools: ToolSet): readonly RunnableDefinition[] {
  return Object.values(tools).flatMap((tool) => (tool as { readonly [spawned]?: RunnableDefinition })[spawned] ?? []);
}

interface SpawnedCall {
  readonly prompt: AgentInput;
  readonly timeMs: number | undefined;
}

/** Runs an agent as a run of its own; for its parent it ends as if it had run inside. */
export async function runSpawnedAgent(
  agent: RunnableDefinition,
  context: RunContext,
  { prompt, timeMs }: SpawnedCall,
): Promise<RunEnd<Ending>> {
  const limits = timeMs === undefined ? {} : { timeMs };
  const envelope = await asUnitContext(context).runSpawned(agent, prompt as JsonValue, limits);
  const { termination, also } = envelope;
  return { termination, also, output: detailsOf(envelope) };
}

/** Everything about the run besides its ending; what agents inside it did is in its own journal. */
function detailsOf({ output = null, usage, costUsd, estimated, outcome, summary, termination }: Envelope): UnitDetails {
  const failure = { name: 'AgentFailed', message: summary, code: termination.kind.toUpperCase() };
  return {
    output,
    text: typeof output === 'string' ? output : '',
    usage,
    costUsd,
    ...(estimated === true && { estimated }),
    ...(!done.has(outcome) && { failure }),
  };
}
