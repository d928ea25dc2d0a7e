import { compileTemplate } from '../../template/compile-template.js';
import { compileCondition } from '../../template/condition.js';
import type { Reference } from '../../template/reference.js';
import { TemplateError } from '../../template/template-error.js';
import type { TextUse } from './text-uses.js';

export interface TextReferences {
  readonly references: readonly Reference[];
  /** Why the text cannot be compiled. */
  readonly error?: TemplateError;
}

const nothing: TextReferences = { references: [] };

/** The names that a text uses; a text that cannot be compiled uses none and has an error instead. */
export function textReferences({ kind, text }: Pick<TextUse, 'kind' | 'text'>): TextReferences {
  if (kind === 'template' && !text.includes('{{') && !text.includes('{%')) return nothing;
  try {
    const compiled = kind === 'template' ? compileTemplate(text) : compileCondition(text);
    return { references: compiled.references };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    // Loading other templates is no matter of this text.
    return error.reason === 'load' ? nothing : { references: [], error };
  }
}
