import type { CheckContext } from './check.js';
import type { Ending } from './ending.js';
import type { ValueIssue } from './errors/fullstop-error.js';
import { isObject } from './json.js';
import { colonText, listed } from './text/wording.js';
import { valueAt } from './value-at.js';

type Check = (value: Readonly<Record<string, unknown>>, path: string, context: CheckContext) => void;

/** The reasons why one ending cannot be put into words; nested endings are described by themselves. */
export function evidenceIssues(termination: Ending, check: Check): readonly ValueIssue[] {
  const context: CheckContext = { issues: [], unknownFields: 'keep', checkTermination: acceptAnyKind };
  check(termination as Ending & Record<string, unknown>, '', context);
  return context.issues;
}

function acceptAnyKind(value: unknown, path: string, { issues }: CheckContext): void {
  if (!isObject(value) || typeof value['kind'] !== 'string')
    issues.push({ code: 'invalid', path, message: 'expected a termination' });
}

/** The sentence for an ending whose evidence is incomplete, as one read from another vocabulary may be. */
export function describeIncomplete(termination: Ending, issues: readonly ValueIssue[]): string {
  const unknown = issues.filter(({ path }) => valueAt(termination, path) === undefined).map(({ path }) => path);
  const verb = unknown.length === 1 ? 'is' : 'are';
  const missing = unknown.length === 0 ? '' : `; ${listed(unknown, 5)} ${verb} not known`;
  return `Ended as ${termination.kind}${colonText(reasonOf(termination))}${missing}`;
}

/** The text that says why, under whichever of the usual names it is. */
export function reasonOf(termination: Ending): string | undefined {
  const { reason, error } = termination as { readonly reason?: unknown; readonly error?: unknown };
  const text = reason ?? (isObject(error) ? error['message'] : undefined);
  return typeof text === 'string' ? text : undefined;
}
