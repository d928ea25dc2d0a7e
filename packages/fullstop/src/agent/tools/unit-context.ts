import type { ReadSchema } from './schema.js';
import type { ToolLike } from './tool.js';

/** Something that cannot work without a context. */
export interface ContextNeed {
  /** Who needs it, as a part of a sentence. */
  readonly by: string;
  readonly schema: ReadSchema | undefined;
  /** True when it can do without, but not with one that does not fit. */
  readonly isOptional: boolean;
}

const ofAgents = new WeakMap<object, readonly ContextNeed[]>();

/** Declares what an agent needs of the context of whatever it runs in. */
export function declareNeeds(agent: object, needs: readonly ContextNeed[]): void {
  if (needs.length > 0) ofAgents.set(agent, needs);
}

/** A member of the tool, so that a copy of it with other options has the same needs. */
const needed: unique symbol = Symbol.for('fullstop.unit-needs') as never;

/** The tool with the needs of its agent. */
export function withNeeds<TTool extends ToolLike>(tool: TTool, agent: object): TTool {
  const needs = ofAgents.get(agent);
  return needs === undefined ? tool : { ...tool, [needed]: needs };
}

/** The needs of the agent of a tool. */
export function needsOfUnit(tool: ToolLike & { readonly [needed]?: readonly ContextNeed[] }): readonly ContextNeed[] {
  return tool[needed] ?? [];
}

const contexts = new WeakMap<object, unknown>();

/** Hands the context of a run to a unit inside it. */
export function handContext(unit: object, context: unknown): void {
  if (context !== undefined) contexts.set(unit, context);
}

/** The context that a unit was handed. */
export function handedContext(unit: object): unknown {
  return contexts.get(unit);
}
