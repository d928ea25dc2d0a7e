/** `MALFORMED_ANSWER`: the model answered something that no answer can be made of. `STREAM_CUT`: its answer broke off. */
export type ModelCallErrorCode = 'MALFORMED_ANSWER' | 'STREAM_CUT';

/** A defect of an answer that did arrive. Recognised by its code, like every error of a model call. */
export class ModelCallError extends Error {
  readonly code: ModelCallErrorCode;

  constructor(code: ModelCallErrorCode, message: string) {
    super(message);
    this.name = 'ModelCallError';
    this.code = code;
  }
}
