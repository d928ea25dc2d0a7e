import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { commandTable } from '../../packages/cli/src/command-line/command-table.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { type Finished, Place, type Started } from './binary.js';
import { workflows } from './workflows.js';

const database = testDatabase();
/** These read no store. */
const storeless = 'validate graph schema init completion'.split(' ');
let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

function start(...args: readonly string[]): Started {
  const started = place.start(args, { FULLSTOP_STORE: database.url });
  // A failed test leaves no process behind.
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}
const command = (...args: readonly string[]): Promise<Finished> => start(...args).finished;

/** Runs a command that must end with this code, and gives what it printed. */
async function expectCode(code: number, ...args: readonly string[]): Promise<Finished> {
  const finished = await command(...args);
  expect({ args, code: finished.code, stderr: finished.stderr }).toMatchObject({ args, code });
  return finished;
}

describe.skipIf(isPostgresMissing)('a store on Postgres', () => {
  it('lets one process follow and cancel what another executes, and a third resume it', async () => {
    const run = start('run', 'slow.yaml', '--run-id', 'slow-1');
    await run.says('nap');
    const follower = start('events', 'slow-1', '--follow');
    await once(follower.child.stdout as NonNullable<typeof follower.child.stdout>, 'data');
    const cancelled = await expectCode(0, 'cancel', 'slow-1', '--reason', 'wrong ticket', '--by', 'maria');
    expect(cancelled.stderr).toContain('slow-1: Cancelled by an operator');
    expect((await run.finished).stderr).toContain('wrong ticket');
    const followed = await follower.finished;
    expect({ code: followed.code, last: followed.stdout.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      last: expect.stringContaining('"segment_ended"'),
    });
    place.write({ 'slow.yaml': workflows['slow.yaml']?.replace('"30"', '"0"') ?? '' });
    const resumed = await expectCode(0, 'resume', 'slow-1', '--use-current');
    expect(JSON.parse(resumed.stdout)).toEqual({ note: 'begun' });
    const noted = (await command('events', 'slow-1')).stdout.match(/"set:note/g);
    expect(noted).toHaveLength(1);
    expect((await command('verify', 'slow-1')).stdout).toContain('consistent');
  });

  it('resumes with a higher limit, forks, retries, exports, imports and prunes as a file does', async () => {
    await expectCode(3, 'run', 'loop.yaml', '--run-id', 'loop-1');
    await expectCode(3, 'resume', 'loop-1', '--max-iterations', '8');
    expect(JSON.parse((await command('why', 'loop-1', '--json')).stdout)).toMatchObject({
      segment: 2,
      ending: { kind: 'max_iterations' },
    });
    await expectCode(1, 'run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1');
    const before = (await command('events', 'refused-1')).stdout;
    const forked = await expectCode(0, 'fork', 'refused-1', '--at', '1', '-i', 'age=5', '--run-id', 'forked-1');
    expect(forked.stderr).toContain('forked-1 has the first 1 entries of refused-1.');
    expect((await command('events', 'refused-1')).stdout).toBe(before);
    await expectCode(1, 'retry', 'refused-1', '--run-id', 'again-1');
    await expectCode(0, 'report', 'refused-1', '-o', 'page.html');
    await expectCode(5, 'run', 'refund.yaml', '-i', 'age=60', '--run-id', 'asks-1', '--no-input');
    await expectCode(0, 'export', 'refused-1', 'forked-1', 'again-1', '-o', 'final.jsonl');
    expect((await expectCode(0, 'import', 'final.jsonl')).stderr).toContain('3 were there already.');
    expect((await expectCode(0, 'prune', '--older-than', '0s', '--yes')).stderr).toContain('Removed');
    // Those that could still be resumed, and those that wait, stay.
    expect((await command('runs', '--ids')).stdout).not.toMatch(/refused-1|forked-1|again-1/);
    expect((await command('runs', '--ids')).stdout).toMatch(/asks-1[\s\S]*loop-1/);
    expect((await expectCode(0, 'import', 'final.jsonl')).stderr).toContain('Imported 3 runs.');
    expect((await expectCode(0, 'why', 'forked-1')).stdout).toContain('fresh');
    expect((await expectCode(0, 'verify', '--all')).stdout).toContain(' 0 broken');
  });

  it('is shown by the dashboard, where people answer', async () => {
    await expectCode(5, 'run', 'refund.yaml', '-i', 'age=60', '--run-id', 'shown-1', '--no-input');
    const dashboard = start('dashboard', '--by', 'page');
    const [line] = (await once(dashboard.child.stdout as NonNullable<typeof dashboard.child.stdout>, 'data')) as [
      Buffer,
    ];
    const { origin, searchParams } = new URL(line.toString().trim());
    const headers = {
      authorization: `Bearer ${searchParams.get('token') ?? ''}`,
      'content-type': 'application/json',
    };
    const read = async (path: string): Promise<unknown> => (await fetch(`${origin}/api${path}`, { headers })).json();
    expect((await fetch(`${origin}/api/runs`)).status).toBe(401);
    expect(await read('/runs?q=shown-1')).toMatchObject({ runs: [{ runId: 'shown-1', kind: 'gate_pending' }] });
    expect(await read('/runs/shown-1')).toMatchObject({ row: { runId: 'shown-1' } });
    const answered = await fetch(`${origin}/api/runs/shown-1/answer`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ requestId: 'review', decision: 'choose', choice: 'approve' }),
    });
    expect(answered.status).toBe(200);
    // The worker that the page starts continues it.
    await expect.poll(() => read('/runs?q=shown-1')).toMatchObject({ runs: [{ kind: 'terminated', segment: 2 }] });
    expect((await command('why', 'shown-1')).stdout).toContain('page chose approve at review');
    dashboard.child.kill('SIGTERM');
    expect((await dashboard.finished).code).toBe(0);
  });
});

it('is given to every command that has one, here or in the other tests on Postgres', () => {
  const texts = ['postgres', 'postgres-commands', 'migrate'].map((name) =>
    readFileSync(join(import.meta.dirname, `${name}.test.ts`), 'utf8'),
  );
  // As the first argument: behind a bracket, or behind the exit code that is expected.
  const isGiven = (name: string): boolean =>
    texts.some((text) => new RegExp(`(\\[|command\\(|start\\(|expectCode\\(\\d, )'${name}'`).test(text));
  expect(Object.keys(commandTable).filter((name) => !isGiven(name))).toEqual(storeless);
});
