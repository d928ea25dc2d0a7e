import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { OnExpiry } from '../../engines/port/request.js';
import type { ModelMessage } from '../../models/message.js';
import type { Duration } from '../../stop/duration.js';
import type { JsonValue } from '../../termination/json.js';
import type { SubmitDirective } from '../options/directive.js';
import type { InferredTool, OpenTool } from '../options/inferred-options.js';

/**
 * A tool, taken by its shape: the tools of the AI SDK (and so MCP tools) fit as they are. What is not named here is left
 * alone, unless it looks like one of these fields misspelt.
 */
export interface ToolLike {
  readonly description?: string | undefined;
  /** `provider` or `provider-defined` for a tool that the provider brings along, with its `id` and `args`. */
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly args?: unknown;
  /** A Standard Schema with a JSON Schema, a schema of the AI SDK, or plain JSON Schema (of which types, required members and enumerations are checked). */
  readonly inputSchema?: unknown;
  /** The schema of the context that it needs, in the same forms; a run whose context does not fit is refused before it starts. */
  readonly contextSchema?: unknown;
  /** True when it cannot work without a context; a schema says that too. */
  readonly needsContext?: boolean | undefined;
  /** The schema of a result, in the same forms; only results that come from outside are checked against it. */
  readonly outputSchema?: unknown;
  /** Returns the result, `halt(reason)` or `submit(value)`. Without it the run pauses for whoever performs the call: see `clientTool`. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  /** Whether a person has to agree to a call, always or as the function says. */
  readonly needsApproval?: unknown;
  /** True when a repeated call does no harm; otherwise a call that a person agreed to is made at most once. */
  readonly idempotent?: boolean | undefined;
  /** True for a tool that hands in the result of the run. */
  readonly submits?: boolean | undefined;
  readonly strict?: boolean | undefined;
  /** True when something inside it may ask a person. */
  readonly pauses?: boolean | undefined;
  /** By when a person has to have answered, and what happens if nobody does. */
  readonly approval?: ApprovalTerms | undefined;
  /** By when the result of a tool without `execute` has to be there, and what happens if it is not. */
  readonly client?: ClientTerms | undefined;
  /** The agent that a call runs, by its name; see `agentAsTool`. */
  readonly agent?: string | undefined;
  /** True when a call hands the conversation over to that agent; see `handOff`. */
  readonly handsOff?: boolean | undefined;
  /** True when it changes nothing; with `permissions: { readOnly: true }` only such tools are called. */
  readonly readOnly?: boolean | undefined;
  /** How long a call may take; the model sees when it takes longer. Not for calls that a person agreed to: those are never stopped half done. */
  readonly timeout?: Duration | undefined;
  /** Turns a result into what the model sees, as tools of the AI SDK do. */
  readonly toModelOutput?: unknown;
}

/** Tools by the name under which the model knows them. */
export interface ToolSet {
  readonly [name: string]: ToolLike;
}

/** The facts about a call that a tool gets. A tool that names the type of its context needs one; so does its agent then. */
export interface ToolCallOptions<TContext = unknown> {
  /** The context that the run was given, such as who it works for; it is never journalled. */
  readonly context: TContext;
  readonly runId: string;
  readonly toolCallId: string;
  /** 1 for the first. */
  readonly iteration: number;
  /** The conversation up to the call. */
  readonly messages: readonly ModelMessage[];
  /** 1 for the first attempt of this call. */
  readonly attempt: number;
  readonly signal: AbortSignalLike;
  /** The same signal, under the name that tools of the AI SDK know. */
  readonly abortSignal: AbortSignalLike;
  /** The same for every attempt of this call, for receivers that recognise repeats. */
  readonly idempotencyKey: string;
}

/** How an approval is asked for. */
export interface ApprovalTerms {
  /** How long there is time to answer; without it a request waits for ever. */
  readonly deadline?: Duration;
  /** The consequence: the run ends as `gate_expired` (unless given), the call is denied or approved, or someone else is asked. */
  readonly onExpiry?: OnExpiry;
  /** Whom to ask then, and how long they have; when that passes too the run ends as `gate_expired`. */
  readonly escalation?: { readonly to: string; readonly deadline?: Duration };
}

/** The terms of waiting for the result of a tool that is performed outside. Nobody can approve a result, so expiry cannot either. */
export interface ClientTerms extends Omit<ApprovalTerms, 'onExpiry'> {
  /** The consequence of a missed deadline: the run ends as `gate_expired` (unless given), the model sees that no result came, or someone else is asked. */
  readonly onExpiry?: Exclude<OnExpiry, 'approve'>;
}

/** The same tool, whose every call a person has to approve. */
export function requireApproval<TTool extends OpenTool, TInput = unknown, TContext = unknown>(
  tool: TTool & InferredTool<TInput, TContext>,
): TTool & { readonly needsApproval: true };
export function requireApproval<
  TTool extends OpenTool,
  const TTerms extends ApprovalTerms,
  TInput = unknown,
  TContext = unknown,
>(
  tool: TTool & InferredTool<TInput, TContext>,
  terms: TTerms,
): TTool & { readonly needsApproval: true; readonly approval: TTerms };
export function requireApproval(tool: ToolLike, approval?: ApprovalTerms): ToolLike {
  return { ...tool, needsApproval: true, ...(approval !== undefined && { approval }) };
}

/** A tool that hands in the result of the run and ends it as `submitted`. */
export interface SubmitTool {
  readonly description: string;
  readonly inputSchema: unknown;
  readonly submits: true;
  execute(input: JsonValue): SubmitDirective;
}
