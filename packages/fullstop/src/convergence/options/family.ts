import { checkOptions, invalidOption, someText } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { type StandardSchema, schemaPath } from '../../termination/standard-schema.js';
import { checkKey, type Proposal } from '../facts/fact.js';
import { isThenable } from './thenable.js';

/** A kind of content with a version: what facts of it look like, and under which key they stand. */
export interface FactFamily<TPayload = unknown> {
  readonly key: string;
  readonly name: string;
  readonly version: number;
  readonly schema?: StandardSchema<unknown, TPayload>;
  /** Types only. */
  readonly payload?: TPayload;
}

/** Options of a family of facts: its name, version and schema. */
export interface FactFamilyOptions<TPayload> {
  /** The key unless given. */
  readonly name?: string;
  /** 1 unless given. */
  readonly version?: number;
  /** The schema of the content; any Standard Schema. It judges and does not change the content. */
  readonly schema?: StandardSchema<unknown, TPayload>;
}

/**
 * Declares a family of facts. List it in `families`, and propose in it.
 *
 * @example
 * const risk = family('risk', { schema: z.object({ score: z.number() }) });
 */
export function family<TPayload = unknown>(
  key: string,
  options: FactFamilyOptions<TPayload> = {},
): FactFamily<TPayload> {
  checkKey(key, { builder: 'family', option: 'key' });
  const { name = key, version = 1, schema } = checkOptions(options, `family ${key}`, ['name', 'version', 'schema']);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new FullstopError('INVALID_OPTION', `The family ${name} has version ${version}; it must be 1 or more.`);
  someText(name, { builder: `family ${key}`, option: 'name' });
  if (schema !== undefined && !isSchema(schema))
    throw invalidOption(schema, { builder: `family ${key}`, option: 'schema' }, 'a Standard Schema');
  return { key, name, version, ...(schema !== undefined && { schema }) };
}

/** Some libraries have schemas that are functions. */
function isSchema(schema: unknown): boolean {
  return (isObject(schema) || typeof schema === 'function') && '~standard' in schema;
}

/** The declared families, by what proposals say about themselves. */
export interface Families {
  /** The family of a proposal, or why it has none. */
  of(proposal: Proposal): FactFamily | string;
}

/** Reads the declared families once. */
export function readFamilies(declared: readonly FactFamily[]): Families {
  const byName = new Map<string, FactFamily>();
  const newest = new Map<string, FactFamily>();
  for (const one of declared) {
    const name = `${one.name}@${one.version}`;
    if (byName.has(name)) throw new FullstopError('INVALID_OPTION', `The family ${name} is declared twice.`);
    byName.set(name, one);
    const known = newest.get(one.key);
    if (known === undefined || known.version < one.version) newest.set(one.key, one);
  }
  const open = new Map<string, FactFamily>();
  return {
    of: ({ key, family: name, version = 1 }) => {
      if (name !== undefined)
        return byName.get(`${name}@${version}`) ?? `there is no family ${name} version ${version}`;
      const declaredHere = newest.get(key);
      if (declaredHere !== undefined) return declaredHere;
      const known = open.get(key);
      if (known !== undefined) return known;
      const free = { key, name: key, version: 1 };
      open.set(key, free);
      return free;
    },
  };
}

/** Why content does not fit its family; undefined when it does. Only an asynchronous schema makes this a promise. */
export function misfit(
  { name, version, schema, key }: FactFamily,
  proposal: Proposal,
): string | undefined | Promise<string | undefined> {
  if (key !== proposal.key) return `the family ${name} belongs under the key ${key}`;
  if (schema === undefined) return undefined;
  const judged = schema['~standard'].validate(proposal.payload);
  const say = (result: Awaited<typeof judged>): string | undefined => {
    if (result.issues === undefined) return undefined;
    const issues = result.issues.map((issue) => `${schemaPath(issue) || 'the content'} (${issue.message})`);
    return `the content does not fit ${name} version ${version}: ${issues.join(', ')}`;
  };
  return isThenable(judged) ? Promise.resolve(judged).then(say) : say(judged);
}
