import { at } from '../termination/check.js';
import { FullstopError, type ValueIssue } from '../termination/errors/fullstop-error.js';
import type { JsonObject } from '../termination/json.js';
import { canonicalJson } from '../termination/text/canonical-json.js';
import type { StopCondition } from './condition.js';
import { parseStopConditions } from './condition-json.js';
import { durationLimit } from './duration.js';
import { noTime, tireaSource } from './tirea-readers.js';

type Fields = Readonly<Record<string, unknown>>;

/** How each condition that Tirea has stands in its JSON. */
const writers: Readonly<Record<string, (fields: Fields) => JsonObject>> = {
  maxIterations: ({ limit }) => ({ type: 'max_rounds', rounds: limit as number }),
  timeout: ({ run }) => ({
    type: 'timeout',
    seconds: run === noTime ? 0 : durationLimit(run, { builder: 'timeout', option: 'run' }) / 1000,
  }),
  tokenBudget: ({ total }) => ({ type: 'token_budget', max_total: total as number }),
  consecutiveErrors: ({ limit }) => ({ type: 'consecutive_errors', max: limit as number }),
  stopOnTool: ({ tool }) => ({ type: 'stop_on_tool', tool_name: tool as string }),
  contentMatch: ({ text }) => ({ type: 'content_match', pattern: (text ?? '') as string }),
  loopDetection: () => ({ type: 'loop_detection', window: 2 }),
};

/**
 * Writes conditions as Tirea's JSON, the counterpart of what `parseStopConditions` reads. Refuses, all at once, what Tirea
 * does not have or would read as something else, such as half a second or a limit of iterations.
 */
export function formatTireaStopConditions(conditions: readonly StopCondition<string>[]): readonly JsonObject[] {
  const issues: ValueIssue[] = [];
  const written = conditions.map((condition, index) => writeOne(condition, at('', index), issues));
  if (issues.length === 0) return written;
  const places = issues.map(({ path, message }) => `${path}: ${message}`);
  throw new FullstopError('INVALID_OPTION', `Tirea has no such stop conditions: ${places.join('; ')}`, { issues });
}

function writeOne(condition: StopCondition<string>, path: string, issues: ValueIssue[]): JsonObject {
  const source = tireaSource(condition);
  if (source !== undefined) return source;
  const own = condition.toJSON();
  const { type, ...fields } = own;
  try {
    const json = writers[String(type)]?.(fields);
    const [back] = json === undefined ? [] : parseStopConditions([json]);
    if (json !== undefined && back !== undefined && same(own, back.toJSON())) return json;
  } catch (error) {
    if (!FullstopError.is(error)) throw error;
  }
  issues.push({ code: 'invalid', path, message: `${JSON.stringify(own)} has no counterpart` });
  return own;
}

/** Durations mean the same in any unit. */
function same(one: JsonObject, other: JsonObject): boolean {
  return canonicalJson(inMilliseconds(one)) === canonicalJson(inMilliseconds(other));
}

function inMilliseconds(json: JsonObject): JsonObject {
  if (json['type'] !== 'timeout' || json['run'] === undefined) return json;
  return { ...json, run: durationLimit(json['run'], { builder: 'timeout', option: 'run' }) };
}
