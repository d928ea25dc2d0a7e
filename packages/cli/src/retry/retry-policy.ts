import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { isThere } from '../command-line/is-there.js';
import { milliseconds } from '../command-line/read-duration.js';
import { suggestion } from '../command-line/suggestion.js';
import { UsageError } from '../command-line/usage-error.js';

/** The reactions to endings by category. Fatal ones are never retried. */
export interface RetryPolicy {
  readonly retryable: {
    /** Segments in all, the first included. */
    readonly attempts: number;
    readonly backoffMs: number;
    readonly longestMs: number;
  };
  /** How far limits may be raised; what has no ceiling is not raised. */
  readonly capacity: {
    readonly factor: number;
    readonly ceilings: Ceilings;
  };
}

export interface Ceilings {
  readonly maxIterations?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly timeoutMs?: number;
}

/** `auto`: three attempts where trying again may help, and no limit is raised. */
export const automaticPolicy: RetryPolicy = {
  retryable: { attempts: 3, backoffMs: 2000, longestMs: 60_000 },
  capacity: { factor: 2, ceilings: {} },
};

const retryableKeys = ['attempts', 'backoff', 'longest'];
const capacityKeys = ['factor', 'max_iterations', 'tokens', 'cost', 'timeout'];

/** Reads `auto`, or a file with `retryable` and `capacity`. */
export async function readRetryPolicy(named: string, cwd: string): Promise<RetryPolicy> {
  if (named === 'auto') return automaticPolicy;
  const file = resolve(cwd, named);
  if (!isThere(file)) throw new UsageError(`There is no retry policy ${file}; name a file, or auto.`);
  const text = readFileSync(file, 'utf8');
  try {
    const value: unknown = extname(file) === '.json' ? JSON.parse(text) : (await import('yaml')).parse(text);
    return policyOf(value);
  } catch (error) {
    throw new UsageError(`${file} is not a retry policy: ${(error as Error).message}`, { cause: error });
  }
}

function policyOf(value: unknown): RetryPolicy {
  const { retryable = {}, capacity = {} } = section(value, '', ['retryable', 'capacity']) as Record<string, unknown>;
  const again = section(retryable, 'retryable', retryableKeys);
  const more = section(capacity, 'capacity', capacityKeys);
  const { attempts, backoffMs, longestMs } = automaticPolicy.retryable;
  return {
    retryable: {
      attempts: count(again['attempts'], 'retryable.attempts') ?? attempts,
      backoffMs: time(again['backoff'], 'retryable.backoff') ?? backoffMs,
      longestMs: time(again['longest'], 'retryable.longest') ?? longestMs,
    },
    capacity: {
      factor: factorOf(more['factor']),
      ceilings: present({
        maxIterations: count(more['max_iterations'], 'capacity.max_iterations'),
        tokens: count(more['tokens'], 'capacity.tokens'),
        costUsd: positive(more['cost'], 'capacity.cost'),
        timeoutMs: time(more['timeout'], 'capacity.timeout'),
      }),
    },
  };
}

function section(value: unknown, path: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${path === '' ? 'it' : path} must be an object`);
  for (const key of Object.keys(value))
    if (!known.includes(key))
      throw new Error(`${path === '' ? key : `${path}.${key}`} is unknown${suggestion(key, known)}`);
  return value as Readonly<Record<string, unknown>>;
}

function positive(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > 0) return value;
  throw new Error(`${path} must be a number above 0`);
}

function count(value: unknown, path: string): number | undefined {
  const number = positive(value, path);
  if (number === undefined || Number.isInteger(number)) return number;
  throw new Error(`${path} must be a whole number`);
}

function factorOf(value: unknown): number {
  const factor = positive(value, 'capacity.factor') ?? automaticPolicy.capacity.factor;
  if (factor > 1) return factor;
  throw new Error('capacity.factor must be above 1');
}

function time(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? milliseconds(value) : undefined;
  if (ms !== undefined && ms > 0) return ms;
  throw new Error(`${path} must be a duration such as 30s`);
}

function present(ceilings: { readonly [K in keyof Ceilings]: Ceilings[K] | undefined }): Ceilings {
  return Object.fromEntries(Object.entries(ceilings).filter(([, value]) => value !== undefined));
}
