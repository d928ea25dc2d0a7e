import { at, found } from '../termination/check.js';
import { FullstopError, type ValueIssue } from '../termination/errors/fullstop-error.js';
import { isObject, type JsonObject } from '../termination/json.js';
import { suggestion } from '../termination/text/suggestion.js';
import type { StopCondition } from './condition.js';
import { type ConditionReader, type DeclarativeKind, ownReaders } from './condition-readers.js';
import { checkConditions } from './resume-conditions.js';
import { tireaReaders } from './tirea-readers.js';

/** Options of `parseStopConditions`. */
export interface ParseStopOptions<TKind extends string> {
  /** The custom conditions that the JSON may name: their code is not in it. */
  readonly custom?: readonly StopCondition<TKind>[];
}

/** Writes conditions as JSON. A custom condition leaves only its name there. */
export function stopConditionsToJson(conditions: readonly StopCondition<string>[]): readonly JsonObject[] {
  return conditions.map((condition) => condition.toJSON());
}

/**
 * Reads conditions from JSON: those of `stopConditionsToJson`, and Tirea's seven shapes by Tirea's own rules, where 0
 * turns off the limits of tokens and errors. What is unknown or wrong is refused, all of it at once, with its place.
 *
 * @example
 * parseStopConditions([{ type: 'maxIterations', limit: 20 }, { type: 'max_rounds', rounds: 10 }]);
 */
export function parseStopConditions<TKind extends string = never>(
  json: unknown,
  options: ParseStopOptions<TKind> = {},
): readonly StopCondition<DeclarativeKind | TKind>[] {
  if (!Array.isArray(json)) {
    throw refused([{ code: 'invalid', path: '', message: `expected a list of stop conditions, found ${found(json)}` }]);
  }
  const issues: ValueIssue[] = [];
  const conditions = json.map((spec: unknown, index) => readOne(spec, at('', index), issues, options.custom ?? []));
  if (issues.length > 0) throw refused(issues);
  return checkConditions(conditions.filter((condition) => condition !== undefined));
}

function readOne<TKind extends string>(
  json: unknown,
  path: string,
  issues: ValueIssue[],
  custom: readonly StopCondition<TKind>[],
): StopCondition<DeclarativeKind | TKind> | undefined {
  if (!isObject(json)) {
    issues.push({ code: 'invalid', path, message: `expected a stop condition, found ${found(json)}` });
    return undefined;
  }
  const { type, ...fields } = json;
  const reader = type === 'custom' ? customReader(custom) : readerOf(type, fields);
  if (reader === undefined) {
    issues.push({ code: 'unknown_kind', path: at(path, 'type'), message: unknownType(type) });
    return undefined;
  }
  const unknown = Object.keys(fields).filter((field) => !reader.fields.includes(field));
  for (const field of unknown) {
    const message = `unknown field of ${String(type)}${suggestion(field, reader.fields)}`;
    issues.push({ code: 'unknown_field', path: at(path, field), message });
  }
  if (unknown.length > 0) return undefined;
  try {
    return reader.read(fields);
  } catch (error) {
    // The builders say what is wrong with their options; only its place in the list has to be added.
    if (!FullstopError.is(error)) throw error;
    issues.push(...error.issues.map((issue) => ({ ...issue, path: issue.path === '' ? path : at(path, issue.path) })));
    return undefined;
  }
}

/** Both vocabularies have a `timeout`; Tirea's has seconds, ours has scopes. */
function readerOf(type: unknown, fields: Readonly<Record<string, unknown>>): ConditionReader | undefined {
  if (typeof type !== 'string') return undefined;
  const tirea = tireaReaders().get(type);
  const own = ownReaders.get(type);
  return own !== undefined && !(tirea !== undefined && 'seconds' in fields) ? own : tirea;
}

function customReader<TKind extends string>(custom: readonly StopCondition<TKind>[]): ConditionReader<TKind> {
  return {
    fields: ['name'],
    read({ name }) {
      const condition = custom.find((candidate) => candidate.name === name);
      if (condition !== undefined) return condition;
      const known = custom.map((candidate) => candidate.name);
      const hint = typeof name === 'string' ? suggestion(name, known) : '';
      const message = `no custom condition ${found(name)} was passed along with the JSON, which holds no code${hint}`;
      throw refused([{ code: 'invalid', path: 'name', message }]);
    },
  };
}

function unknownType(type: unknown): string {
  const known = [...ownReaders.keys(), ...[...tireaReaders().keys()].filter((word) => !ownReaders.has(word)), 'custom'];
  const hint = typeof type === 'string' ? suggestion(type, known) : '';
  return `expected one of ${known.join(', ')}, found ${found(type)}${hint}`;
}

function refused(issues: readonly ValueIssue[]): FullstopError {
  const places = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new FullstopError('INVALID_OPTION', `These are not stop conditions: ${places.join('; ')}`, { issues });
}
