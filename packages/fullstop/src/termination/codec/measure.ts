import { at, found } from '../check.js';
import type { ValueIssue } from '../errors/fullstop-error.js';

/** How deep and how large a termination may be. */
export interface SizeLimits {
  /** Levels of objects and lists inside each other. */
  readonly depth: number;
  /** UTF-8 bytes of the JSON text. */
  readonly bytes: number;
}

export const defaultLimits: SizeLimits = { depth: 200, bytes: 1_048_576 };

/** The reason why a value cannot be written as it is. */
export type Obstacle = 'depth' | 'size' | 'not_json';

/**
 * Finds out, without recursion and before any stringify, whether a value is JSON within the limits.
 * Cycles end as `depth`, and values that share parts are counted as often as they would be written.
 */
export function measure(root: unknown, limits: SizeLimits): Obstacle | undefined {
  const pending: object[] = [];
  const depths: number[] = [1];
  let size = memberSize(root, pending);
  if (size < 0) return 'not_json';
  while (pending.length > 0) {
    const container = pending.pop() as object;
    const depth = depths.pop() as number;
    if (depth > limits.depth) return 'depth';
    const added = contentSize(container, pending);
    if (added < 0) return 'not_json';
    while (depths.length < pending.length) depths.push(depth + 1);
    size += added;
    if (size > limits.bytes) return 'size';
  }
  return undefined;
}

/** The characters of a container's own members, never more than will be written; its inner containers are put on `pending`. Negative when it is not JSON. */
function contentSize(container: object, pending: object[]): number {
  if (!isPlain(container)) return -1;
  return Array.isArray(container) ? listSize(container, pending) : objectSize(container, pending);
}

function listSize(list: readonly unknown[], pending: object[]): number {
  let size = 0;
  for (const member of list) {
    // Holes read as undefined, which is no JSON either.
    const added = memberSize(member, pending);
    if (added < 0) return -1;
    size += added + 1;
  }
  return size;
}

function objectSize(source: object, pending: object[]): number {
  let size = 0;
  for (const key in source) {
    const member = (source as Record<string, unknown>)[key];
    // Left out by stringify, so it does no harm.
    if (member === undefined) continue;
    const added = memberSize(member, pending);
    if (added < 0) return -1;
    size += added + key.length + 4;
  }
  return size;
}

function memberSize(member: unknown, pending: object[]): number {
  if (typeof member === 'string') return member.length + 2;
  // Two brackets, less the comma that is counted for the last member and never written.
  if (typeof member === 'object' && member !== null) return pending.push(member) && 1;
  return isJsonScalar(member) ? 1 : -1;
}

/** Where the search for a non-JSON value is: a container, its keys unless it is a list, and the member looked at. */
interface Frame {
  readonly container: object;
  readonly keys: readonly string[] | undefined;
  index: number;
}

/** The first place in a value that JSON cannot hold. Without recursion, and parts that are shared are visited once. */
export function firstNonJson(root: unknown): ValueIssue | undefined {
  const trail: Frame[] = [];
  const seen = new Set<object>();
  let problem = enter(root, trail, seen);
  while (problem === undefined) {
    const frame = trail.at(-1);
    if (frame === undefined) return undefined;
    frame.index += 1;
    if (frame.index >= (frame.keys ?? (frame.container as readonly unknown[])).length) trail.pop();
    else problem = enter(memberOf(frame), trail, seen);
  }
  return { code: 'invalid', path: pathOf(trail), message: `expected a JSON value, found ${problem}` };
}

/** Says what is wrong with a value, or puts it on the trail if it has members. */
function enter(value: unknown, trail: Frame[], seen: Set<object>): string | undefined {
  if (typeof value !== 'object' || value === null) return isJsonScalar(value) ? undefined : found(value);
  if (seen.has(value)) return undefined;
  if (!isPlain(value)) return `an instance of ${className(value)}`;
  seen.add(value);
  trail.push({ container: value, keys: Array.isArray(value) ? undefined : presentKeys(value), index: -1 });
  return undefined;
}

function presentKeys(source: object): readonly string[] {
  return Object.keys(source).filter((key) => (source as Record<string, unknown>)[key] !== undefined);
}

function memberOf({ container, keys, index }: Frame): unknown {
  return (container as Record<string | number, unknown>)[keys?.[index] ?? index];
}

function pathOf(trail: readonly Frame[]): string {
  let path = '';
  for (const { keys, index } of trail) path = at(path, keys?.[index] ?? index);
  return shortPath(path);
}

const longestPath = 300;

/** A path with its two ends, where all of it would be too much for a message. */
export function shortPath(path: string): string {
  if (path.length <= longestPath) return path;
  return `${path.slice(0, longestPath / 3)}…${path.slice((-longestPath * 2) / 3)}`;
}

/** The UTF-8 length of a text. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // The two halves of a surrogate pair take four bytes together: two each.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/** True when a text fits, counted exactly only where the cheap bounds do not decide. */
export function fitsBytes(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return true;
  return text.length <= bytes && byteLength(text) <= bytes;
}

function isJsonScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** True for a list or an object without a class. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return true;
  // Objects from another realm (a worker, a test runner's sandbox) have an Object.prototype of their own.
  const above = Object.getPrototypeOf(prototype);
  return Array.isArray(value) ? above !== null && Object.getPrototypeOf(above) === null : above === null;
}

/** The name of the class of an object. */
export function className(value: object): string {
  const maker: unknown = (value as { constructor?: unknown }).constructor;
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'a class';
}
