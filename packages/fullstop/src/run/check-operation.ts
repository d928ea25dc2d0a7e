import type { OnExpiry, RunRequest } from '../engines/port/request.js';
import { invalidOption, oneWord, someName, someText } from '../stop/check-option.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject } from '../termination/json.js';
import { isStorable } from '../termination/text/storable-text.js';
import { isUnitName } from './journal/scope-path.js';
import type { Spawnable } from './run-context.js';

const requestTypes: readonly RunRequest['type'][] = ['approval', 'client_tool', 'confirm_outcome', 'gate', 'input'];
const expiries: readonly OnExpiry[] = ['end', 'reject', 'approve', 'escalate'];

/** True for a key that the journal can hold. */
export function isKey(key: unknown): key is string {
  return typeof key === 'string' && isStorable(key);
}

/** The error for an operation whose key no journal can hold or whose work is no function. */
export function invalidWork(operation: string, key: unknown, work: unknown): FullstopError {
  if (!isKey(key)) {
    const expected = 'a text without NUL and without half of a surrogate pair';
    return invalidOption(key, { builder: operation, option: 'key' }, expected);
  }
  return invalidOption(work, { builder: `${operation}(${key})`, option: '' }, 'given a function that does the work');
}

/** Refuses a unit that could be taken for another one in the journal, or that has nothing to do. */
export function checkUnit(name: string, body: unknown): void {
  if (typeof body !== 'function') throw invalidWork('child', name, body);
  someName(name, { builder: 'child', option: 'name' });
  if (isUnitName(name)) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The unit cannot be named ${JSON.stringify(name)}: with a "/" in it, or an end like "#2" or "~2", its path could be that of another unit.`,
  );
}

/** Refuses what cannot be started as a run. */
export function checkSpawnable(definition: Spawnable): void {
  if (!isObject(definition))
    throw invalidOption(definition, { builder: 'spawn', option: '' }, 'given a definition, such as one of defineRun');
  someName(definition.name, { builder: 'spawn', option: 'name' });
  someName(definition.version, { builder: 'spawn', option: 'version' });
}

/** Refuses a request that nobody could answer. */
export function checkRequest(request: RunRequest): void {
  if (!isObject(request))
    throw invalidOption(request, { builder: 'wait', option: '' }, 'given a request, an object with id and type');
  const { id, type, onExpiry, escalation } = request;
  const builder = `wait(${someName(id, { builder: 'wait', option: 'id' })})`;
  oneWord(type, { builder, option: 'type' }, requestTypes);
  if (onExpiry !== undefined) oneWord(onExpiry, { builder, option: 'onExpiry' }, expiries);
  if (onExpiry === 'escalate') checkEscalation(escalation, builder);
}

/** Without someone to escalate to, the run would just end. */
function checkEscalation(escalation: unknown, builder: string): void {
  if (!isObject(escalation)) {
    const expected = '{ to, deadline? }, because onExpiry is "escalate"';
    throw invalidOption(escalation, { builder, option: 'escalation' }, expected);
  }
  someText(escalation['to'], { builder, option: 'escalation.to' });
}
