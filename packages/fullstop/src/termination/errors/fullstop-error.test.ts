import { describe, expect, it } from 'vitest';
import { FullstopError } from './fullstop-error.js';

describe('FullstopError', () => {
  it('is an Error with a stable code and the issues that were found', () => {
    const cause = new Error('below');
    const issues = [{ code: 'missing', path: 'limit', message: 'missing' }] as const;
    const error = new FullstopError('INVALID_TERMINATION', 'Not valid.', { issues, cause });
    expect(error).toBeInstanceOf(Error);
    expect({ ...error, message: error.message, cause: error.cause }).toEqual({
      name: 'FullstopError',
      code: 'INVALID_TERMINATION',
      message: 'Not valid.',
      issues,
      cause,
    });
    expect(new FullstopError('INVALID_KIND', 'x').issues).toEqual([]);
  });

  it('has the facts of its message as plain data', () => {
    const details = { option: 'limits.steps', used: 3, runId: 'r' };
    const error = new FullstopError('LIMIT_UNCHANGED', 'Raise it.', { details });
    expect(error.details).toEqual(details);
    expect(JSON.parse(JSON.stringify(error.details))).toEqual(details);
  });

  it('is recognised by its marker, also from another installed copy', () => {
    expect(FullstopError.is(new FullstopError('INVALID_KIND', 'x'))).toBe(true);
    expect(FullstopError.is(Object.assign(new Error('x'), { [Symbol.for('fullstop.error')]: true }))).toBe(true);
  });

  it('is not taken for any other thrown value', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const other of [new Error('x'), { code: 'INVALID_KIND' }, null, undefined, 'x', proxy]) {
      expect(FullstopError.is(other)).toBe(false);
    }
  });
});
