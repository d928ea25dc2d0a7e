import { describe, expect, it } from 'vitest';
import { RunIdConflict } from '../port/engine.js';
import { receiveStart } from './start-receipt.js';

const request = { runId: 'run', name: 'n', version: '1', input: { a: 1, b: 2 } };

describe('receiveStart', () => {
  it('starts a run that does not exist, and finds the same one again', () => {
    expect(receiveStart(undefined, request)).toBe('started');
    expect(receiveStart({ name: 'n', version: '1', input: { b: 2, a: 1 } }, request)).toBe('exists');
  });

  it.each([
    ['name', { name: 'other', version: '1', input: request.input }],
    ['version', { name: 'n', version: '2', input: request.input }],
    ['input', { name: 'n', version: '1' }],
  ])('refuses a run of the same id with another %s', (_, existing) => {
    expect(() => receiveStart(existing, request)).toThrow(RunIdConflict);
  });
});
