import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binary, Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

describe('colours', () => {
  it('are off with --no-color and NO_COLOR, whatever else asks for them', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const forced = { FORCE_COLOR: '1' };
    expect((await place.run(['runs'], forced)).stdout).toContain('\u001b[');
    expect((await place.run(['runs', '--no-color'], forced)).stdout).not.toContain('\u001b[');
    expect((await place.run(['runs'], { ...forced, NO_COLOR: '1' })).stdout).not.toContain('\u001b[');
    const wrong = await place.run(['runs', '--no-color', '--wrong'], forced);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.not.stringContaining('\u001b['),
    });
  });
});

describe('a terminal with 40 columns', () => {
  it('gets no line that is longer, except for commands to copy and examples', async () => {
    await place.run(['run', 'ask.yaml', '--scripted', 'good.script.yaml', '--run-id', 'r_a_rather_long_id']);
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    await place.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    for (const args of [
      ['runs'],
      ['show', 'refused-1'],
      ['why', 'refused-1'],
      ['why', 'gate-1'],
      ['stats'],
      ['doctor'],
      ['--help'],
      ['run', '--help'],
      ['resume', '--help'],
      ['what-if', '--max-iterations', '1'],
    ]) {
      const { stdout } = await place.run(args, { COLUMNS: '40' });
      expect(stdout).not.toBe('');
      const long = stdout.split('\n').filter((line) => [...line].length > 40 && !line.includes('fullstop '));
      expect({ args, long }).toEqual({ args, long: [] });
    }
  });
});

describe('completion of run ids', () => {
  /** A program in the path that is the one under test. */
  const path = (): string => {
    place.write({ fullstop: `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n` });
    chmodSync(place.path('fullstop'), 0o755);
    return `${place.folder}:${process.env['PATH'] ?? ''}`;
  };
  const inBash = (script: string): readonly string[] => {
    const { stdout, stderr } = spawnSync('bash', ['-c', script], {
      cwd: place.folder,
      env: { PATH: path(), HOME: place.folder, LANG: 'C.UTF-8' },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('offers the runs of the store to commands that take one, in bash', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    await place.run(['run', 'loop.yaml', '--run-id', 'other-1', '--store', 'other.db']);
    const { stdout } = await place.run(['completion', 'bash']);
    const complete = (...words: readonly string[]): readonly string[] =>
      inBash(
        `${stdout}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _fullstop; printf '%s\\n' "\${COMPREPLY[@]}"`,
      );
    expect(complete('fullstop', 'why', '')).toEqual(['last', 'loop-1']);
    expect(complete('fullstop', 'cancel', 'lo')).toEqual(['loop-1']);
    expect(complete('fullstop', 'why', '--store', 'other.db', 'o')).toEqual(['other-1']);
    expect(complete('fullstop', 'why', '--store', 'no-such.db', '')).toEqual(['last']);
    expect(complete('fullstop', 'why', '--store', 'oth')).toContain('other.db');
    expect(complete('fullstop', 'run', 'loop')).toEqual(['loop.yaml']);
  });

  it('asks the store in fish, and offers no files to commands that take a run', async () => {
    const { stdout } = await place.run(['completion', 'fish']);
    const line = stdout.split('\n').find((each) => each.includes('runs --ids')) ?? '';
    expect(line).toMatch(
      /__fish_seen_subcommand_from .*\bwhy\b.*' -f -a '\(fullstop runs --ids --limit 200 2>\/dev\/null\) last'/,
    );
    expect(line).not.toMatch(/\brun\b|\bgraph\b/);
  });
});
