import { escapeUnstorable, isStorable } from '../../termination/text/storable-text.js';

/**
 * The grammar of scopes, the paths of units in the journal. A scope is made of parts with a slash between them; the run
 * itself has the empty one. A part is `name`, `name#2` for a second visit, `name#2~3` for a third attempt at it, and
 * `name~undo` where something that it did is undone.
 */
export interface ScopePart {
  readonly name: string;
  /** How often a unit of this name was opened in its parent, counted from 1. */
  readonly visit: number;
  /** Above 1 for an attempt that has a scope of its own. */
  readonly attempt: number;
}

const undo = '~undo';

/** Visits and attempts are marked from the second on. */
const laterNumber = '([2-9]|[1-9]\\d+)';
const partPattern = new RegExp(`^(.*?)(?:#${laterNumber})?(?:~${laterNumber})?(?:${undo})?$`, 's');

/** Joins the name of a unit with its visit and attempt. */
export function makePart({ name, visit = 1, attempt = 1 }: { name: string; visit?: number; attempt?: number }): string {
  const visited = visit === 1 ? name : `${name}#${visit}`;
  return attempt === 1 ? visited : `${visited}~${attempt}`;
}

/** Reads one part of a scope; the opposite of `makePart` for every name that `isUnitName` accepts. */
export function parsePart(part: string): ScopePart {
  const [, name = part, visit = 1, attempt = 1] = partPattern.exec(part) ?? [];
  return { name, visit: Number(visit), attempt: Number(attempt) };
}

/** The scope of a unit from its parent's scope and its own part. */
export function makeScope(parent: string, part: string): string {
  return parent === '' ? part : `${parent}/${part}`;
}

/** The parts of a scope, outermost first. */
export function parseScope(scope: string): readonly string[] {
  return scope === '' ? [] : scope.split('/');
}

/** The scope of the parent of a unit; that of the run is the run's own. */
export function parentScope(scope: string): string {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/')));
}

/** The last part of a scope. */
export function lastPart(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** The scope of an attempt that begins anew, from the scope of the first attempt. */
export function attemptScope(first: string, attempt: number): string {
  return makePart({ name: first, attempt });
}

/** The scope of the first attempt. */
export function withoutAttempt(scope: string): string {
  const { name, visit } = parsePart(lastPart(scope));
  return makeScope(parentScope(scope), makePart({ name, visit }));
}

/** A scope without the marks of visits and attempts. */
export function withoutMarks(scope: string): string {
  return parseScope(scope)
    .map((part) => parsePart(part).name)
    .join('/');
}

/** True for the scope of a unit itself and of everything inside it. */
export function isWithin(scope: string, unit: string): boolean {
  return unit === '' || scope === unit || (scope.startsWith(unit) && scope[unit.length] === '/');
}

/** The scope in which something that a unit registered is undone. */
export function undoScope(unit: string, key: string): string {
  return `${unit}${undo}/${key}`;
}

/** True for a name whose scope can be that of no other unit. */
export function isUnitName(name: string): boolean {
  return !/\/|[#~]\d+$/.test(name) && !name.includes(undo) && isStorable(name);
}

/** True for a name in which none of the separators occurs, and nothing that a store would change. */
export function hasNoSeparator(name: string): boolean {
  return !/[/#~]/.test(name) && isStorable(name);
}

const escaped: Readonly<Record<string, string>> = { '%': '%25', '/': '%2F', '#': '%23', '~': '%7E' };

/** A text of foreign origin as the name of a unit: its separators and what no store could return are escaped, so that two texts never have one scope. */
export function escapeUnitName(text: string): string {
  return escapeUnstorable(text.replace(/[%/#~]/g, (separator) => escaped[separator] as string));
}
