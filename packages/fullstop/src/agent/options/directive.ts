import type { RequestAnswer } from '../../engines/port/request.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';

const brand: unique symbol = Symbol.for('fullstop.directive') as never;

/** Returned by a tool or hook to stop the run. */
export interface HaltDirective {
  readonly [brand]: 'halt';
  readonly reason: string;
}

/** Returned by a tool to hand in the result of the run. */
export interface SubmitDirective {
  readonly [brand]: 'submit';
  readonly value: JsonValue | undefined;
}

/** Returned by a hook to finish the run as a success. */
export interface FinishDirective {
  readonly [brand]: 'finish';
  readonly reason?: string;
}

/** Returned by a hook to keep a call or a compaction from being made. */
export interface BlockDirective {
  readonly [brand]: 'block';
  readonly code: string;
  readonly reason: string;
}

/** Returned by a hook to say something to the model. */
export interface InjectDirective {
  readonly [brand]: 'inject';
  readonly text: string;
}

/** Returned by a hook to replace its value. */
export interface TransformDirective<TValue> {
  readonly [brand]: 'transform';
  readonly value: TValue;
}

/** A verdict of a hook or a tool about what happens next. */
export type Directive =
  | HaltDirective
  | SubmitDirective
  | FinishDirective
  | BlockDirective
  | InjectDirective
  | TransformDirective<unknown>;

/** Stops the run as `halted`. */
export function halt(reason: string): HaltDirective {
  return { [brand]: 'halt', reason };
}

/** Ends the run as `submitted`, with this value as its output. */
export function submit(value?: JsonValue): SubmitDirective {
  return { [brand]: 'submit', value };
}

/** Finishes the run as `plugin_requested`. */
export function finish(reason?: string): FinishDirective {
  return { [brand]: 'finish', ...(reason !== undefined && { reason }) };
}

/** The part of an answer to an approval besides yes or no. */
export interface AnswerNote {
  readonly by?: string;
  readonly reason?: string;
}

/** From a hook: keeps a call or a compaction from being made. The model sees the code and the reason of a blocked call. */
export function block(code: string, reason: string): BlockDirective {
  return { [brand]: 'block', code, reason };
}

/** The answer that denies an approval; the model sees the reason. */
export function deny(note: AnswerNote = {}): RequestAnswer {
  if (typeof note !== 'string') return { decision: 'deny', ...note };
  throw new FullstopError(
    'INVALID_OPTION',
    'deny() answers an approval: deny({ reason, by }). A hook that keeps a call from being made returns block(code, reason).',
  );
}

/** The answer that approves a call; with `input` it is made with these arguments instead of the model's. */
export function approve(note: AnswerNote & { readonly input?: JsonValue } = {}): RequestAnswer {
  const { input, ...rest } = note;
  return { decision: 'approve', ...rest, ...(input !== undefined && { value: input }) };
}

/** Adds a user message to the conversation. */
export function inject(text: string): InjectDirective {
  return { [brand]: 'inject', text };
}

/** Replaces the value of the hook: the input of a tool, its result, or the text of an answer. */
export function transform<TValue>(value: TValue): TransformDirective<TValue> {
  return { [brand]: 'transform', value };
}

/** The directive that a value is; undefined for an ordinary value. */
export function directiveOf(value: unknown): (Directive & { readonly type: Directive[typeof brand] }) | undefined {
  if (typeof value !== 'object' || value === null || !(brand in value)) return undefined;
  return { ...(value as Directive), type: (value as Directive)[brand] };
}
