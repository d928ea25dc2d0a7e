import type { Engine } from '../../engines/port/engine.js';
import { startOfJournal } from '../../run/defined-body.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { type ReadSchema, readSchema, violationText } from '../tools/schema.js';
import type { ToolLike } from '../tools/tool.js';
import { type ContextNeed, needsOfUnit } from '../tools/unit-context.js';
import type { AnyAgentOptions } from './agent-options.js';
import { isAgentInput } from './check-agent-input.js';
import type { ContextProvider, ContextRequest } from './context.js';

/** The context of a run, or why there is none. */
export interface FoundContext {
  readonly context?: unknown;
  readonly failure?: { readonly error: unknown } | undefined;
}

/** Where the contexts of an agent's runs come from, and what they have to be. */
export class ContextSource {
  /** The needs of the agent, its tools and the agents among them. */
  readonly needs: readonly ContextNeed[];
  readonly #agent: string;
  readonly #provide: ContextProvider | undefined;

  constructor(agent: string, { context, needsContext, tools = {} }: AnyAgentOptions) {
    const own: ContextNeed = { by: `the agent ${agent}`, schema: undefined, isOptional: false };
    const ofTools = Object.entries(tools).flatMap(([name, tool]) => needsOfTool(name, tool));
    this.needs = needsContext === true ? [own, ...ofTools] : ofTools;
    this.#agent = agent;
    this.#provide = context;
  }

  /** False when no run has a context unless it is given one. */
  get isUsed(): boolean {
    return this.#provide !== undefined || this.needs.length > 0;
  }

  /** The needs of an agent inside another: with a source of its own it can do without its parent's context. */
  get needsInside(): readonly ContextNeed[] {
    if (this.#provide === undefined) return this.needs;
    return this.needs.map((need) => ({ ...need, isOptional: true }));
  }

  /** The context of a run: what was given, else what the definition makes. Refuses one that is missing or does not fit. */
  contextFor(given: unknown, runId: string, input: unknown): unknown {
    if (!this.isUsed) return given;
    return this.#make(given, { runId, agent: this.#agent, input: isAgentInput(input) ? input : '' });
  }

  /** The same for a run that is continued. */
  async contextToResume(given: unknown, runId: string, engine: Engine): Promise<unknown> {
    if (!this.isUsed) return given;
    return this.contextFor(given, runId, startOfJournal(await engine.journal(runId, { types: ['run_started'] })).input);
  }

  /** The same for a run that is under way already: it ends with the reason why it has no context. */
  async find(runId: string, input: unknown): Promise<FoundContext> {
    try {
      return { context: await this.contextFor(undefined, runId, input) };
    } catch (error) {
      return { failure: { error } };
    }
  }

  async #make(given: unknown, run: ContextRequest): Promise<unknown> {
    const context = given === undefined ? await this.#provide?.(run) : given;
    for (const { by, schema, isOptional } of this.needs) {
      if (context === undefined && !isOptional) throw this.#missing(run, by);
      const checked = context === undefined ? undefined : await schema?.check(context);
      // The context holds credentials: the message has what does not fit, never the value.
      if (checked?.ok === false) {
        const summary = violationText(checked.violations);
        throw new FullstopError(
          'CONTEXT_INVALID',
          `The context of the run ${run.runId} does not fit what ${by} needs: ${summary}`,
          { details: { runId: run.runId, agent: run.agent, neededBy: by } },
        );
      }
    }
    return context;
  }

  #missing({ runId, agent }: ContextRequest, by: string): FullstopError {
    const cause =
      this.#provide === undefined
        ? `the run ${runId} was given none. Give it one as { context }, or define the agent with context: (run) => …, which resumes and workers need in any case.`
        : `context(run) of the definition returned none for the run ${runId}.`;
    return new FullstopError('CONTEXT_MISSING', `The agent ${agent} needs a context (${by} does), but ${cause}`, {
      details: { runId, agent, neededBy: by },
    });
  }
}

function needsOfTool(name: string, tool: ToolLike): readonly ContextNeed[] {
  const { contextSchema, needsContext } = tool;
  const inside = needsOfUnit(tool);
  if (contextSchema === undefined && needsContext !== true) return inside;
  const schema: ReadSchema | undefined =
    contextSchema === undefined ? undefined : readSchema(contextSchema, `The context schema of ${name}`);
  return [{ by: `the tool ${name}`, schema, isOptional: false }, ...inside];
}
