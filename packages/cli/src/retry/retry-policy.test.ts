import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { automaticPolicy, readRetryPolicy } from './retry-policy.js';

const folder = mkdtempSync(join(tmpdir(), 'fullstop-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(text: string): Promise<unknown> {
  writeFileSync(join(folder, 'policy.yaml'), text);
  return readRetryPolicy('policy.yaml', folder);
}

describe('readRetryPolicy', () => {
  it('knows auto', async () => {
    expect(await readRetryPolicy('auto', folder)).toBe(automaticPolicy);
  });

  it('reads a file, with what is usual where it says nothing', async () => {
    expect(
      await read('capacity: {max_iterations: 40, cost: 2.5, timeout: 10m}\nretryable: {backoff: 500ms}\n'),
    ).toEqual({
      retryable: { attempts: 3, backoffMs: 500, longestMs: 60_000 },
      capacity: { factor: 2, ceilings: { maxIterations: 40, costUsd: 2.5, timeoutMs: 600_000 } },
    });
  });

  it.each([
    ['retry: {}', 'retry is unknown'],
    ['retryable: {attempt: 3}', 'retryable.attempt is unknown (did you mean "attempts"?)'],
    ['retryable: {attempts: 0}', 'retryable.attempts must be a number above 0'],
    ['retryable: {attempts: 1.5}', 'retryable.attempts must be a whole number'],
    ['retryable: {backoff: 5}', 'retryable.backoff must be a duration such as 30s'],
    ['capacity: {factor: 1}', 'capacity.factor must be above 1'],
    ['- a list', 'it must be an object'],
  ])('refuses %s', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it('refuses a file that is not there', async () => {
    await expect(readRetryPolicy('none.yaml', folder)).rejects.toThrow('There is no retry policy');
  });
});
