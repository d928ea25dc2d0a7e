import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

describe('the owner of a run', () => {
  it('that is dead is found by the first look of every command, and what follows it ends', async () => {
    place.write({
      'slow.yaml': `workflow: {name: slow, entry_point: s}
agents: [{name: s, type: script, command: bash, args: ["-c", "until test -f released; do sleep 0.1; done"]}]
output: {done: "yes"}
`,
    });
    const { child, finished, says } = place.start(['run', 'slow.yaml', '--run-id', 'killed']);
    await says('s script is running');
    child.kill('SIGKILL');
    await finished;
    expect((await place.run(['runs'])).stdout).toMatch(/killed +slow +orphaned .*its owner is gone/);
    expect((await place.run(['show', 'killed'])).stdout).toContain('running, its owner is gone');
    expect((await place.run(['why', 'killed'])).stdout).toContain('Its owner is gone');
    const followed = await place.run(['events', 'killed', '--follow']);
    expect(followed).toMatchObject({ code: 4 });
    expect(followed.stderr).toContain('fullstop resume killed');
    place.write({ released: '' });
    expect((await place.run(['resume', 'killed'])).code).toBe(0);
  });

  it('may be a worker that was faster than the command that answered, which then tells its ending', async () => {
    const worker = place.start(['worker']);
    const codes: (number | null)[] = [];
    for (const runId of ['one', 'two', 'three']) {
      await place.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', runId, '--no-input']);
      const { code, stderr } = await place.run(['answer', runId, '--choose', 'reject']);
      expect(stderr).toContain('Terminated as a failure by refuse: order is 60 days old.');
      codes.push(code);
    }
    worker.child.kill('SIGINT');
    await worker.finished;
    expect(codes).toEqual([1, 1, 1]);
  });

  it('that may live is shown with its last sign of life once that is older than its lease, and not as running', async () => {
    const { child, finished, says } = place.start(['run', 'slow.yaml', '--run-id', 'silent']);
    await says('nap');
    expect((await place.run(['show', 'silent'])).stdout).toMatch(/· running ·/);
    child.kill('SIGKILL');
    await finished;
    // As if the process were one of another machine, of which nobody here knows whether it lives.
    const seenAt = Date.UTC(2026, 0, 2, 3, 4);
    const database = new Database(place.path('.fullstop/runs.db'));
    database.exec(`UPDATE workers SET host = 'elsewhere', seen_at = ${seenAt}`);
    database.close();
    const since = /no sign of life since 2026-01-0[123]/;
    expect((await place.run(['runs'])).stdout).toMatch(/silent +slow +running .*no sign of life/);
    expect((await place.run(['show', 'silent'])).stdout.replaceAll(/\s+/g, ' ')).toMatch(since);
    const why = (await place.run(['why', 'silent'])).stdout.replaceAll(/\s+/g, ' ');
    expect(why).toMatch(since);
    expect(why).not.toMatch(/is running|is gone/);
    expect(JSON.parse((await place.run(['runs', '--json'])).stdout)).toMatchObject({
      runId: 'silent',
      silentSince: seenAt,
    });
  });
});
