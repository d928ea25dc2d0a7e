import type { RunContext, RunEnd } from '../../run/run-context.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { AgentInput } from '../options/agent-options.js';
import type { ToolLike } from './tool.js';

export type { UnitDetails } from '../machine/unit-outcome.js';

/** Runs an agent inside another one. */
export type RunUnit = (context: RunContext, input: JsonValue, timeMs?: number) => Promise<RunEnd<Ending>>;

/** A member of the tool, so that a copy of it with other options is an agent too. */
const unit: unique symbol = Symbol.for('fullstop.unit') as never;

const sealed: unique symbol = Symbol.for('fullstop.unit-secrets') as never;

const unpriced: unique symbol = Symbol.for('fullstop.unit-unpriced') as never;

/** The parts of an agent that the agent around it has to know. */
interface AgentInside {
  readonly secrets?: Secrets;
  readonly [unpriced]?: readonly UnpricedModel[];
}

/** A model whose price is not known, and the agent that asks it. */
export interface UnpricedModel {
  readonly model: string;
  readonly agent: string;
}

/** Marks a tool whose calls are runs of an agent inside this one, with the secrets of that agent and the models that nobody knows the price of. */
export function asUnit<TTool extends ToolLike>(tool: TTool, run: RunUnit, agent: AgentInside): TTool {
  const { secrets, [unpriced]: models } = agent;
  return {
    ...tool,
    [unit]: run,
    ...(secrets !== undefined && { [sealed]: secrets }),
    ...(models !== undefined && { [unpriced]: models }),
  };
}

/** Remembers at an agent which models, of its own and of agents inside it, have no known price. */
export function knowUnpriced(agent: object, models: readonly UnpricedModel[]): void {
  Object.defineProperty(agent, unpriced, { value: models });
}

/** The models without a known price of an agent or of the agent of a tool. */
export function unpricedIn(agentOrTool: object): readonly UnpricedModel[] {
  return (agentOrTool as AgentInside)[unpriced] ?? [];
}

/** The secrets of the agent of a tool; its parent has the same journal. */
export function secretsOfUnit(tool: ToolLike & { readonly [sealed]?: Secrets }): Secrets | undefined {
  return tool[sealed];
}

export function unitOf(tool: (ToolLike & { readonly [unit]?: RunUnit }) | undefined): RunUnit | undefined {
  return tool?.[unit];
}

const depths = new WeakMap<object, number>();

/** How many agents are the parents of a unit. */
export function depthOf(context: object): number {
  return depths.get(context) ?? 0;
}

/** Notes that a unit runs inside an agent. */
export function goDeeper(around: object, unit: object): void {
  depths.set(unit, depthOf(around) + 1);
}

/** Runs an agent as a unit whose output is its `UnitDetails`, in the time that it has. */
type RunInside = (context: RunContext, input: AgentInput, timeMs?: number) => Promise<RunEnd<Ending>>;

/** A member of the agent, not a map beside it: what it leads to would be kept until a full collection. */
const inside: unique symbol = Symbol('run inside');

export function runsInside(agent: object, run: RunInside): void {
  Object.defineProperty(agent, inside, { value: run });
}

/** Runs an agent as a unit with its details. */
export function runInside(
  agent: { within(context: RunContext, input: AgentInput): Promise<RunEnd<Ending>>; readonly [inside]?: RunInside },
  ...given: Parameters<RunInside>
): Promise<RunEnd<Ending>> {
  const [context, input] = given;
  return agent[inside]?.(...given) ?? agent.within(context, input);
}
