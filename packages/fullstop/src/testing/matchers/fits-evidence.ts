import { isObject } from '../../termination/json.js';

/** `expect.any(Number)` and its like, as vitest and jest have them. */
interface AsymmetricMatcher {
  asymmetricMatch(actual: unknown): boolean;
}

/** The first path at which a value lacks what is expected of it; undefined where it has all of that, and perhaps more. */
export function firstMisfit(actual: unknown, expected: unknown, path = ''): string | undefined {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) ? undefined : path;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return path;
    return firstOf(expected, (item, index) => firstMisfit(actual[index], item, `${path}[${index}]`));
  }
  if (!isObject(expected)) return Object.is(actual, expected) ? undefined : path;
  if (!isObject(actual)) return path;
  return firstOf(Object.entries(expected), ([key, value]) =>
    firstMisfit(actual[key], value, path === '' ? key : `${path}.${key}`),
  );
}

function firstOf<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isAsymmetric(value: unknown): value is AsymmetricMatcher {
  return isObject(value) && typeof value['asymmetricMatch'] === 'function';
}
