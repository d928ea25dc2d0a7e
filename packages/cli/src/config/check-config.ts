import { suggestion } from '../command-line/suggestion.js';
import { isObject } from '../journal/is-object.js';
import type { Config, QueueSettings } from './config.js';

type Check = (value: unknown, path: string) => readonly string[];

const text: Check = (value, path) =>
  typeof value === 'string' && value !== '' ? [] : [`${path} must be a text, found ${found(value)}`];

const price: Check = (value, path) => {
  if (!isObject(value)) return [`${path} must be an object, found ${found(value)}`];
  return [
    ...unknownKeys(value, path, ['inputPerMillion', 'outputPerMillion']),
    ...['inputPerMillion', 'outputPerMillion'].flatMap((key) =>
      typeof value[key] === 'number' && value[key] >= 0
        ? []
        : [`${path}.${key} must be a number of dollars, found ${found(value[key])}`],
    ),
  ];
};

const webhook: Check = (value, path) => {
  if (!isObject(value)) return [`${path} must be an object with url and secret`];
  return [
    ...unknownKeys(value, path, ['url', 'secret']),
    ...text(value['url'], `${path}.url`),
    // What someone wrote there is not repeated.
    ...(typeof value['secret'] === 'string' && value['secret'] !== '' ? [] : [`${path}.secret must be a text`]),
  ];
};

const count: Check = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0
    ? []
    : [`${path} must be a whole number above 0, found ${found(value)}`];

const rate: Check = (value, path) => {
  if (!isObject(value)) return [`${path} must be an object, found ${found(value)}`];
  const keys = ['limitPerPeriod', 'periodSec'];
  return [...unknownKeys(value, path, keys), ...keys.flatMap((key) => count(value[key], `${path}.${key}`))];
};

const queueKeys: Readonly<Record<keyof QueueSettings, Check>> = {
  workflows: (value, path) => list(text)(value, path),
  priority: count,
  workerConcurrency: count,
  globalConcurrency: count,
  partitionConcurrency: count,
  partitionWorkerConcurrency: count,
  rateLimit: rate,
  partitionRateLimit: rate,
};

const queue: Check = (value, path) => {
  if (!isObject(value)) return [`${path} must be an object, found ${found(value)}`];
  return [
    ...unknownKeys(value, path, Object.keys(queueKeys)),
    ...Object.entries(queueKeys).flatMap(([key, check]) =>
      value[key] === undefined ? [] : check(value[key], `${path}.${key}`),
    ),
  ];
};

const scalar: Check = (value, path) =>
  ['string', 'number', 'boolean'].includes(typeof value)
    ? []
    : [`${path} must be a text, a number, true or false, found ${found(value)}`];

const record =
  (member: Check): Check =>
  (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, inner]) => member(inner, `${path}.${key}`))
      : [`${path} must be an object, found ${found(value)}`];

const list =
  (member: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((inner: unknown, index) => member(inner, `${path}[${index}]`))
      : [`${path} must be a list, found ${found(value)}`];

const checks: Readonly<Record<keyof Config, Check>> = {
  store: text,
  provider: text,
  model: text,
  models: record(text),
  prices: record(price),
  secrets: list(text),
  onEnding: record(webhook),
  queues: record(queue),
  defaults: record(record(scalar)),
};

/** Everything that is wrong with a configuration; empty when it can be used. */
export function configProblems(value: unknown): readonly string[] {
  if (!isObject(value)) return [`a configuration is an object, found ${found(value)}`];
  return [
    ...unknownKeys(value, '', Object.keys(checks)),
    ...Object.entries(checks).flatMap(([key, check]) => (value[key] === undefined ? [] : check(value[key], key))),
  ];
}

function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  path: string,
  known: readonly string[],
): readonly string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${path === '' ? key : `${path}.${key}`} is not a setting${suggestion(key, known)}`);
}

function found(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value) ?? typeof value;
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
