import { describe } from '../termination/classify.js';
import type { Ending } from '../termination/ending.js';
import { builtIns, type TerminationRegistry } from '../termination/registry.js';
import { validate } from '../termination/validate.js';
import type { ForeignTermination } from './dialect.js';

/** The sentence for a termination that a vocabulary has no word for; its reason or kind where fields are missing. */
export function plainWords(termination: Ending | ForeignTermination, registry: TerminationRegistry = builtIns): string {
  const issues = validate(termination, { registry, unknownFields: 'keep', unknownKinds: 'reject' });
  if (issues.length === 0) return describe(termination as Ending, registry);
  const { reason } = termination as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : termination.kind;
}
