import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/published-packages.js';
import { endingCodes } from '../../scripts/reference/ending-codes.js';
import { errorCodes } from '../../scripts/reference/error-codes.js';

const source = join(root, 'packages/fullstop/src');

/** Where errors become part of a journal; problems of workflow files, which have a place and a hint of their own, are made elsewhere. */
const rooms = ['adapters', 'agent', 'convergence', 'models/calls', 'pipeline', 'run', 'stop', 'workflow/perform'];

/** Codes of Node, which say the same there as everywhere. */
const foreign: readonly string[] = ['ETIMEDOUT'];

/** The codes that a text gives to errors. */
function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/\bcode: '([A-Z][A-Z_]+)'/g)].map(([, code = '']) => code);
}

function sourcesOf(room: string): readonly string[] {
  const files = readdirSync(join(source, room), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /(?<!\.test|\.test-d|\.fixture)\.ts$/.test(file)).map((file) => join(room, file));
}

describe('the page of error codes', () => {
  it.each(Object.entries({ ...errorCodes, ...endingCodes }))('names where %s is made', (code, { from }) => {
    expect(readFileSync(join(source, from), 'utf8')).toContain(`'${code}'`);
  });

  it('has every code that an ending, a step or a tool call can hold', () => {
    const made = rooms.flatMap(sourcesOf).flatMap((file) => codesIn(readFileSync(join(source, file), 'utf8')));
    const known = [...Object.keys(errorCodes), ...Object.keys(endingCodes), ...foreign];
    expect([...new Set(made)].filter((code) => !known.includes(code))).toEqual([]);
    expect(made).toContain('REPLAY_MISMATCH');
  });
});
