import { at, found } from '../termination/check.js';
import { FullstopError, type Issue } from '../termination/fullstop-error.js';
import { isObject, type JsonObject } from '../termination/json.js';
import { suggestion } from '../termination/suggestion.js';
import { differences } from './differences.js';

/** One of Tirea's stop conditions as data, with the names that conditions have here. */
export type TireaStopCondition =
  | {
      readonly name: 'maxIterations';
      readonly limit: number;
      readonly unit: 'round';
      /** True for a limit of 0, which stops the run at the first evaluation. */
      readonly immediate: boolean;
    }
  | {
      readonly name: 'timeout';
      readonly limitMs: number;
      readonly scope: 'run';
      /** True for a limit of 0, which stops the run at the first evaluation. */
      readonly immediate: boolean;
    }
  | { readonly name: 'tokenBudget'; readonly limit: number }
  | { readonly name: 'consecutiveErrors'; readonly limit: number }
  | { readonly name: 'stopOnTool'; readonly tool: string }
  | { readonly name: 'contentMatch'; readonly pattern: string }
  | { readonly name: 'loopDetection'; readonly window: number };

type Named<TName extends TireaStopCondition['name']> = Extract<TireaStopCondition, { readonly name: TName }>;

/** How one condition stands in JSON: its type and its single field. */
interface Spec<TName extends TireaStopCondition['name'], TValue extends number | string> {
  readonly type: string;
  readonly field: string;
  readonly value: TValue extends number ? 'count' : 'text';
  /** Undefined where the value turns the condition off. */
  read(value: TValue): Named<TName> | undefined;
  write(condition: Named<TName>): TValue;
}

type Specs = {
  readonly [TName in TireaStopCondition['name']]: Spec<TName, number> | Spec<TName, string>;
};

const specs: Specs = {
  maxIterations: {
    type: 'max_rounds',
    field: 'rounds',
    value: 'count',
    read: (limit) => ({ name: 'maxIterations', limit, unit: 'round', immediate: limit === 0 }),
    write: (condition) => condition.limit,
  },
  timeout: {
    type: 'timeout',
    field: 'seconds',
    value: 'count',
    read: (seconds) => ({ name: 'timeout', limitMs: seconds * 1000, scope: 'run', immediate: seconds === 0 }),
    write: (condition) => condition.limitMs / 1000,
  },
  tokenBudget: {
    type: 'token_budget',
    field: 'max_total',
    value: 'count',
    read: (limit) => (limit === 0 ? undefined : { name: 'tokenBudget', limit }),
    write: (condition) => condition.limit,
  },
  consecutiveErrors: {
    type: 'consecutive_errors',
    field: 'max',
    value: 'count',
    read: (limit) => (limit === 0 ? undefined : { name: 'consecutiveErrors', limit }),
    write: (condition) => condition.limit,
  },
  stopOnTool: {
    type: 'stop_on_tool',
    field: 'tool_name',
    value: 'text',
    // No tool has an empty name, and an empty pattern never fires there, though every text contains it.
    read: (tool) => (tool === '' ? undefined : { name: 'stopOnTool', tool }),
    write: (condition) => condition.tool,
  },
  contentMatch: {
    type: 'content_match',
    field: 'pattern',
    value: 'text',
    read: (pattern) => (pattern === '' ? undefined : { name: 'contentMatch', pattern }),
    write: (condition) => condition.pattern,
  },
  loopDetection: {
    type: 'loop_detection',
    field: 'window',
    value: 'count',
    read: (window) => ({ name: 'loopDetection', window: Math.max(window, 2) }),
    write: (condition) => condition.window,
  },
};

/** A row of the table where the name of the condition is not known. */
type AnySpec = Omit<Spec<TireaStopCondition['name'], never>, 'value'> & { readonly value: 'count' | 'text' };

const byType: ReadonlyMap<string, AnySpec> = new Map(
  Object.values(specs).map((spec) => [spec.type, spec as unknown as AnySpec]),
);

const values = {
  count: { expected: 'a whole number of 0 or more', accepts: (value: unknown) => isCount(value) },
  text: { expected: 'a string', accepts: (value: unknown) => typeof value === 'string' },
} as const;

/**
 * Reads a list of Tirea's stop conditions, by the rules of its first two generations for 0: no limit for tokens and
 * errors, an immediate stop for rounds and time. Conditions that are turned off are left out.
 */
export function parseTireaStopConditions(json: unknown): readonly TireaStopCondition[] {
  if (!Array.isArray(json)) {
    throw refused([{ code: 'invalid', path: '', message: `expected a list of stop conditions, found ${found(json)}` }]);
  }
  const issues: Issue[] = [];
  const conditions = json.map((spec: unknown, index) => readSpec(spec, at('', index), issues));
  if (issues.length > 0) throw refused(issues);
  return conditions.filter((condition) => condition !== undefined);
}

/** Writes conditions as Tirea's JSON. Throws where Tirea would read something else, such as half a second. */
export function formatTireaStopConditions(conditions: readonly TireaStopCondition[]): readonly JsonObject[] {
  const issues: Issue[] = [];
  const written = conditions.map((condition, index) => {
    const spec = specs[condition.name] as unknown as AnySpec;
    const json = { type: spec.type, [spec.field]: spec.write(condition as never) };
    compare(condition, json, { path: at('', index), issues });
    return json;
  });
  if (issues.length > 0) throw refused(issues);
  return written;
}

function readSpec(json: unknown, path: string, issues: Issue[]): TireaStopCondition | undefined {
  if (!isObject(json)) {
    issues.push({ code: 'invalid', path, message: `expected a stop condition, found ${found(json)}` });
    return undefined;
  }
  const { type, ...fields } = json;
  const spec = typeof type === 'string' ? byType.get(type) : undefined;
  if (spec === undefined) {
    issues.push({ code: 'unknown_kind', path: at(path, 'type'), message: unknownType(type) });
    return undefined;
  }
  for (const key of Object.keys(fields)) {
    if (key === spec.field) continue;
    const message = `unknown field of ${spec.type}${suggestion(key, [spec.field])}`;
    issues.push({ code: 'unknown_field', path: at(path, key), message });
  }
  const value = fields[spec.field];
  const { expected, accepts } = values[spec.value];
  if (accepts(value)) return spec.read(value as never);
  const message = value === undefined ? `missing, expected ${expected}` : `expected ${expected}, found ${found(value)}`;
  issues.push({ code: value === undefined ? 'missing' : 'invalid', path: at(path, spec.field), message });
  return undefined;
}

function compare(
  condition: TireaStopCondition,
  json: JsonObject,
  report: { readonly path: string; readonly issues: Issue[] },
): void {
  const { path, issues } = report;
  const before = issues.length;
  const back = readSpec(json, path, issues);
  if (issues.length > before) return;
  if (back === undefined) {
    issues.push({ code: 'invalid', path, message: `${JSON.stringify(json)} would be no condition at all` });
    return;
  }
  for (const field of differences(condition, back)) {
    issues.push({ code: 'invalid', path: at(path, field), message: `would be read as ${JSON.stringify(back)}` });
  }
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function unknownType(type: unknown): string {
  const known = [...byType.keys()];
  const hint = typeof type === 'string' ? suggestion(type, known) : '';
  return `expected one of ${known.join(', ')}, found ${found(type)}${hint}`;
}

function refused(issues: readonly Issue[]): FullstopError {
  const places = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new FullstopError('UNKNOWN_WORD', `These are not stop conditions of Tirea: ${places.join('; ')}`, { issues });
}
