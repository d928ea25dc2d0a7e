import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { ToolCallRecord } from '../machine/state.js';

/** Something that went wrong and that the client is to be told of. */
export type UIStreamError =
  | {
      readonly type: 'tool';
      readonly tool: string;
      readonly toolCallId: string;
      /** The result as the model sees it. */
      readonly message: string;
      readonly error?: ErrorData;
    }
  | { readonly type: 'run'; readonly termination: Ending; readonly summary: string };

/** The choice of what leaves the server of a run. */
export interface UIMessageStreamOptions {
  /** The text for a failed tool or run. Without it clients see a general text, and nothing that tools or providers wrote. */
  readonly onError?: (error: UIStreamError) => string;
  /** False to keep the thoughts of the model on the server; true unless given. */
  readonly sendReasoning?: boolean;
  /** False to keep the sources of answers on the server; true unless given. */
  readonly sendSources?: boolean;
  /** `whole` sends the evidence of the ending as it is: messages of providers, errors and stacks included. `masked` unless given. */
  readonly ending?: 'masked' | 'whole';
}

/** Our own reasons why a call has no result, for anyone to read. */
const textOfCode: Readonly<Record<string, string>> = {
  BAD_ARGUMENTS: 'The arguments of this call are not valid.',
  DENIED: 'This call is not allowed.',
  NOT_MADE: 'This call was not made: the run had no calls left.',
  OUTCOME_UNKNOWN: 'It is not known whether this call happened.',
  SKIPPED: 'This call was skipped.',
  UNKNOWN_TOOL: 'There is no such tool.',
};

/** The text of a failed call for the client. */
export function toolErrorText(
  { id, tool, output, error }: Pick<ToolCallRecord, 'id' | 'tool' | 'output' | 'error'>,
  { onError }: UIMessageStreamOptions,
): string {
  const general = textOfCode[error?.name === 'ToolCallBlocked' ? 'DENIED' : (error?.code ?? '')] ?? 'The tool failed.';
  if (onError === undefined) return general;
  const message = output.type === 'error-text' ? output.value : JSON.stringify('value' in output ? output.value : '');
  return told(onError, { type: 'tool', tool, toolCallId: id, message, ...(error !== undefined && { error }) }, general);
}

/** The text of a failed run for the client; `general` is the ending in words that anyone may read. */
export function runErrorText(
  termination: Ending,
  { onError }: UIMessageStreamOptions,
  words: { readonly general: string; readonly summary: string },
): string {
  if (onError === undefined) return words.general;
  return told(onError, { type: 'run', termination, summary: words.summary }, words.general);
}

/** A callback that fails must not let out what it should have replaced. */
function told(onError: (error: UIStreamError) => string, error: UIStreamError, general: string): string {
  try {
    return String(onError(error));
  } catch {
    return general;
  }
}
