import { at } from './check.js';
import { firstNonJson } from './codec/measure.js';
import type { Category, Ending, Family, Outcome } from './ending.js';
import { FullstopError, type ValueIssue } from './errors/fullstop-error.js';
import { isObject, type JsonValue } from './json.js';
import { outcomeOfCategory } from './kind-row.js';
import { actionOfCategory } from './kinds/extension.js';
import {
  type SchemaInput,
  type SchemaOutput,
  type SchemaResult,
  type StandardSchema,
  schemaPath,
} from './standard-schema.js';

/** A termination of a third-party kind: its kind and the fields of its schema. */
export type DefinedTermination<
  TKind extends string,
  TFields,
  TCategory extends Category,
  TFamily extends Family,
> = Ending<TKind, TCategory, TFamily> & Readonly<TFields>;

/** How other vocabularies call a third-party kind, by the name of the dialect. */
export type DialectWords = Readonly<Record<string, JsonValue>>;

/** A custom kind: call it to make a termination. */
export interface TerminationDefinition<
  TKind extends string = string,
  TInput = never,
  TFields = unknown,
  TCategory extends Category = Category,
  TFamily extends Family = Family,
> {
  (
    ...fields: Record<string, never> extends TInput ? [fields?: TInput] : [fields: TInput]
  ): DefinedTermination<TKind, TFields, TCategory, TFamily>;
  readonly kind: TKind;
  readonly family: TFamily;
  readonly tag: string;
  readonly dialects: DialectWords;
  category(termination: Ending): TCategory;
  outcome(termination: Ending): Outcome;
  describe(termination: Ending): string;
  nextAction(termination: Ending): string;
  /** The problems of the fields; empty when they fit the schema. */
  issues(fields: unknown, path?: string): readonly ValueIssue[];
  is(termination: Ending): termination is DefinedTermination<TKind, TFields, TCategory, TFamily>;
}

/** A definition of any kind. */
export type AnyTerminationDefinition = TerminationDefinition<string, never, unknown, Category, Family>;

/** Everything that defines a kind of ending of one's own. */
export interface TerminationOptions<
  TKind extends string,
  TSchema extends StandardSchema,
  TCategory extends Category,
  TFamily extends Family,
> {
  /** Needs a dot, which keeps it apart from built-in kinds: `billing.reconciled`. */
  readonly kind: TKind;
  /**
   * The evidence, as any Standard Schema that validates synchronously. Defaults and transforms apply when a termination
   * is made; one that is read is only checked, so the schema must accept its own output.
   */
  readonly schema: TSchema;
  readonly family: TFamily;
  /** Fixed, or derived from the fields. */
  readonly category: TCategory | ((fields: SchemaOutput<TSchema>) => TCategory);
  /** Follows from the category unless given. */
  readonly outcome?: Outcome | ((fields: SchemaOutput<TSchema>) => Outcome);
  /** The low-cardinality word for dashboards; the kind unless given. */
  readonly tag?: string;
  readonly describe?: (fields: SchemaOutput<TSchema>) => string;
  readonly nextAction?: (fields: SchemaOutput<TSchema>) => string;
  readonly dialects?: DialectWords;
}

const kindPattern = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;

/**
 * Defines a custom kind of termination, a full peer of the built-in ones.
 *
 * @example
 * const reconciled = defineTermination({
 *   kind: 'billing.reconciled', schema: z.object({ findings: z.number() }), family: 'completion', category: 'success',
 * });
 * reconciled({ findings: 4 }); // { kind: 'billing.reconciled', findings: 4 }
 */
export function defineTermination<
  const TKind extends `${string}.${string}`,
  TSchema extends StandardSchema,
  const TCategory extends Category,
  const TFamily extends Family,
>(
  options: TerminationOptions<TKind, TSchema, TCategory, TFamily>,
): TerminationDefinition<TKind, SchemaInput<TSchema>, SchemaOutput<TSchema>, TCategory, TFamily> {
  const { kind, schema } = options;
  if (!kindPattern.test(kind)) {
    throw new FullstopError(
      'INVALID_KIND',
      `The kind ${JSON.stringify(kind)} is not allowed: use lower-case words joined by dots, with a name of your own before the first dot, such as "billing.reconciled".`,
    );
  }
  type Fields = SchemaOutput<TSchema>;
  type Made = DefinedTermination<TKind, Fields, TCategory, TFamily>;

  const issuesOf = (fields: unknown, path = ''): readonly ValueIssue[] => {
    const result = validateNow(schema, fields, kind);
    return result.issues === undefined ? [] : toIssues(result.issues, path);
  };

  const make = (fields: unknown = {}): Made => {
    const result = validateNow(schema, fields, kind);
    if (result.issues !== undefined) throw invalidFields(kind, toIssues(result.issues, ''));
    const issues = outputIssues(result.value, issuesOf);
    if (issues.length > 0) throw invalidFields(kind, issues);
    const termination = { kind, ...(result.value as object) } as Made;
    made.add(termination);
    return termination;
  };

  const category = (t: Ending): TCategory => pick(options.category, t as Fields);
  return Object.assign(make, {
    kind,
    family: options.family,
    tag: options.tag ?? kind,
    dialects: options.dialects ?? {},
    category,
    outcome: (t: Ending): Outcome =>
      options.outcome === undefined ? outcomeOfCategory(category(t)) : pick(options.outcome, t as Fields),
    describe: (t: Ending): string => options.describe?.(t as Fields) ?? `Ended as ${kind}.`,
    nextAction: (t: Ending): string => options.nextAction?.(t as Fields) ?? actionOfCategory[category(t)],
    issues: issuesOf,
    is: (t: Ending): t is Made => t.kind === kind,
  });
}

/** The terminations that definitions have made: data may have a field named kind too. */
const made = new WeakSet<object>();

/** True for a value that a definition has made, as it is: a copy is just data. */
export function isMadeTermination(value: unknown): value is Ending {
  return typeof value === 'object' && value !== null && made.has(value);
}

function pick<TValue extends string, TFields>(choice: TValue | ((fields: TFields) => TValue), fields: TFields): TValue {
  return typeof choice === 'function' ? choice(fields) : choice;
}

function validateNow(schema: StandardSchema, fields: unknown, kind: string): SchemaResult<unknown> {
  const result = schema['~standard'].validate(fields);
  if ('then' in result) {
    // Nobody will wait for it, so its failure must not surface as an unhandled rejection.
    result.then(undefined, () => undefined);
    throw new FullstopError(
      'ASYNC_SCHEMA',
      `The schema of ${JSON.stringify(kind)} validates asynchronously; a termination is written in one go, so use a synchronous schema.`,
    );
  }
  return result;
}

/** Why the output of a schema cannot be the fields of a termination. */
function outputIssues(value: unknown, issuesOf: (fields: unknown) => readonly ValueIssue[]): readonly ValueIssue[] {
  if (!isObject(value)) return [{ code: 'invalid', path: '', message: 'the schema must return an object' }];
  for (const name of ['kind', 'cut']) {
    if (Object.hasOwn(value, name))
      return [{ code: 'invalid', path: name, message: `the schema must not have a field named ${name}` }];
  }
  const problem = firstNonJson(value);
  if (problem !== undefined) return [problem];
  // It is the output that is written and read back, so a schema that changes its input must know its output again.
  return issuesOf(value).map((issue) => ({
    ...issue,
    message: `the schema does not accept its own output: ${issue.message}`,
  }));
}

function toIssues(
  issues: Extract<SchemaResult<unknown>, { issues: readonly unknown[] }>['issues'],
  prefix: string,
): readonly ValueIssue[] {
  return issues.map((issue) => {
    const path = schemaPath(issue);
    return { code: 'invalid', path: path === '' ? prefix : at(prefix, path), message: issue.message };
  });
}

/** The error for evidence that does not fit its kind. */
export function invalidFields(kind: string, issues: readonly ValueIssue[]): FullstopError {
  const shown = issues.slice(0, mostShown).map(issueText).join('; ');
  const more = issues.length > mostShown ? `; and ${issues.length - mostShown} more` : '';
  return new FullstopError('INVALID_TERMINATION', `Not a valid ${kind}: ${shown}${more}.`, { issues });
}

const mostShown = 5;

/** The issue in one line, with its path. */
export function issueText({ path, message }: ValueIssue): string {
  return path === '' ? message : `${path}: ${message}`;
}
