/** The kind of failure that stopped a template or a condition. */
export type TemplateErrorReason = 'syntax' | 'undefined' | 'runtime' | 'limit' | 'security' | 'load';

/** The facts about a failure besides its text. */
export interface TemplateErrorDetails {
  readonly reason: TemplateErrorReason;
  /** The failure in its own words, without the sentence around it. */
  readonly detail: string;
  /** The name Python gives this failure, such as `TypeError`. */
  readonly errorType: string;
  readonly line: number;
  readonly column: number;
  readonly templateName?: string | undefined;
}

/** The one error that templates and conditions throw; it always says where. */
export class TemplateError extends Error {
  readonly reason: TemplateErrorReason;
  readonly detail: string;
  readonly errorType: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  readonly templateName?: string;

  constructor(message: string, details: TemplateErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TemplateError';
    this.reason = details.reason;
    this.detail = details.detail;
    this.errorType = details.errorType;
    this.line = details.line;
    this.column = details.column;
    if (details.templateName !== undefined) this.templateName = details.templateName;
  }
}
