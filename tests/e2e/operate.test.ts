import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Place } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');
const jsonLines = async (args: readonly string[]): Promise<readonly Record<string, unknown>[]> =>
  lines((await place.run(args)).stdout).map((line) => JSON.parse(line) as Record<string, unknown>);

let prepared: Promise<Place> | undefined;
afterAll(async () => (await prepared)?.remove());

/** One run of each kind: a success, an explicit failure, a limit and an open gate. Made once, then copied. */
async function fourRuns(): Promise<void> {
  prepared ??= makeFourRuns();
  cpSync((await prepared).path('.fullstop'), place.path('.fullstop'), { recursive: true });
}

async function makeFourRuns(): Promise<Place> {
  const first = new Place();
  first.write(workflows);
  await first.run(['run', 'refund.yaml', '-i', 'age=5', '--run-id', 'good-1']);
  await first.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
  await first.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
  await first.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
  return first;
}

/** Changes the store as nothing of ours could, and leaves its triggers as they were. */
function alter(sql: string): void {
  const database = new Database(place.path('.fullstop/runs.db'));
  const fixed = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'journal_fixed'").get() as { sql: string };
  database.exec('DROP TRIGGER journal_fixed');
  database.exec(sql);
  database.exec(fixed.sql);
  database.close();
}

describe('runs', () => {
  it('are listed newest first and narrowed by kind, category, outcome, workflow, age and text', async () => {
    await fourRuns();
    const ids = async (...filter: readonly string[]): Promise<readonly string[]> =>
      lines((await place.run(['runs', '--ids', ...filter])).stdout);
    expect(await ids()).toEqual(['gate-1', 'loop-1', 'refused-1', 'good-1']);
    expect(await ids('--kind', 'max_iterations')).toEqual(['loop-1']);
    expect(await ids('--category', 'paused')).toEqual(['gate-1']);
    expect(await ids('--outcome', 'succeeded')).toEqual(['good-1']);
    expect(await ids('-w', 'refund', '--limit', '2')).toEqual(['gate-1', 'refused-1']);
    expect(await ids('-s', '120 DAYS')).toEqual(['refused-1']);
    expect(await ids('--since', '1h')).toHaveLength(4);
    expect(await ids('--until', '1h')).toEqual([]);
  });

  it('are a table without colours in a pipe, and with them where they are forced', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const plain = (await place.run(['runs'])).stdout;
    expect(plain).toMatch(/◆ {2}loop-1 {2}loop {2}max_iterations/);
    expect(plain).not.toContain('\u001b');
    expect((await place.run(['runs', '--color', 'always'])).stdout).toContain('\u001b[33m');
    expect((await place.run(['runs'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });

  it('are found by the beginning of their id, and several are named', async () => {
    await fourRuns();
    expect((await place.run(['why', 'loop'])).code).toBe(0);
    expect((await place.run(['why', 'g'])).stderr).toContain('"g" is the beginning of several runs: gate-1, good-1');
    expect((await place.run(['why', 'loop-2'])).stderr).toContain(
      'There is no run "loop-2" in this store (did you mean "loop-1"?)',
    );
  });
});

describe('why, show and events', () => {
  it('explain a run from the store alone', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    const { stdout } = await place.run(['why', 'refused-1']);
    expect(stdout).toContain('✗ Terminated as a failure by refuse: order is 120 days old.');
    expect(stdout).toContain('because   age_days = 120 and route 2 of fetch is `age_days > 90`');
    expect(stdout).toContain('did       note → fetch → refuse');
    expect(stdout).toContain('fullstop retry refused-1');
    expect((await place.run(['why', 'refused-1', '--markdown'])).stdout).toMatch(/^### ❌ Terminated as a failure/);
    expect((await place.run(['show', 'refused-1'])).stdout).toMatch(/✓ fetch {2}script · /);
  });

  it('print the journal, whole, in part and as events of the reference', async () => {
    await place.run(['run', 'loop.yaml']);
    const all = await jsonLines(['events']);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.at(-1)).toMatchObject({ type: 'segment_ended' });
    expect(await jsonLines(['events', '--after', '3', '--type', 'segment_ended'])).toHaveLength(1);
    const events = await jsonLines(['events', '--format', 'conductor']);
    expect(events[0]).toMatchObject({
      type: 'workflow_started',
      data: { name: 'loop', agents: [{ name: 'one' }, {}] },
    });
    expect(events.at(-1)).toMatchObject({ type: 'workflow_failed' });
    const routes = await jsonLines(['events', '--format', 'conductor', '--type', 'route_taken']);
    expect(new Set(routes.map(({ type }) => type))).toEqual(new Set(['route_taken']));
    const refused = await place.run(['events', '--format', 'conductor', '--follow']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('follow a run until it has ended', async () => {
    const run = place.start(['run', 'slow.yaml', '--run-id', 'slow-1']);
    await run.says('nap');
    const follow = place.start(['events', 'slow-1', '--follow']);
    run.child.kill('SIGTERM');
    expect(lines((await follow.finished).stdout).at(-1)).toContain('"segment_ended"');
    await run.finished;
  });
});

describe('resume, retry and answer', () => {
  it('refuse what is final, and what waits for an answer', async () => {
    await fourRuns();
    const final = await place.run(['resume', 'good-1']);
    expect({ code: final.code, stdout: final.stdout }).toEqual({ code: 2, stdout: '' });
    expect(final.stderr).toContain(
      'good-1 has a final ending and cannot be resumed: Terminated as a success by done: fresh. To run again: fullstop retry good-1',
    );
    expect((await place.run(['resume', 'gate-1'])).stderr).toContain(
      'gate-1 waits for an answer to review. Answer it: fullstop answer gate-1',
    );
  });

  it('start anew with the same inputs and the stored file, whatever became of the file', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1']);
    place.write({ 'refund.yaml': 'no workflow any more' });
    const again = await place.run(['retry', 'refused-1', '--run-id', 'refused-2']);
    expect({ code: again.code, output: JSON.parse(again.stdout) }).toEqual({ code: 1, output: { refunded: false } });
    expect(lines((await place.run(['runs', '--ids'])).stdout)).toEqual(['refused-2', 'refused-1']);
  });

  it('continue after a signal without doing again what is done', async () => {
    const { child, finished, says } = place.start(['run', 'slow.yaml', '--run-id', 'slow-1']);
    await says('nap');
    child.kill('SIGINT');
    await finished;
    const quick = readFileSync(place.path('slow.yaml'), 'utf8').replace('"30"', '"0"').replace('note: "', 'now: "');
    place.write({ 'slow.yaml': quick });
    const resumed = await place.run(['resume', 'slow-1', '--use-current']);
    expect({ code: resumed.code, output: JSON.parse(resumed.stdout) }).toEqual({ code: 0, output: { now: 'begun' } });
    const notes = (await jsonLines(['events', 'slow-1'])).filter(({ key }) => String(key).startsWith('set:note'));
    expect(notes).toHaveLength(1);
  });

  it('say where a template failed, and continue with the fixed file', async () => {
    const text = (name: string): string =>
      `workflow: {name: bad, entry_point: one}\nagents:\n  - {name: one, type: set, value: "{{ workflow.input.${name} }}"}\n`;
    place.write({ 'bad.yaml': text('nope') });
    const failed = await place.run(['run', 'bad.yaml', '--run-id', 'bad-1']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/✗ one .*one\.value at bad\.yaml:3:\d+: .*nope/);
    expect(failed.stderr).toContain('Fix the file, then continue with it: fullstop resume bad-1 --use-current');
    expect((await place.run(['why', 'bad-1'])).stdout).not.toContain('problem');
    place.write({ 'bad.yaml': text('nope | default(1)') });
    expect((await place.run(['resume', 'bad-1', '--use-current'])).code).toBe(0);
  });

  it('say in options of the command line that a limit has to be raised', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const resumed = await place.run(['resume', 'loop-1']);
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Resume it with --max-iterations above 4.'),
    });
  });

  it('start nothing when the model of an agent cannot be had', async () => {
    const refused = await place.run(['run', 'ask.yaml', '--run-id', 'ask-1']);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: '' });
    expect(refused.stderr.match(/not available here/g)).toHaveLength(1);
    expect((await place.run(['runs', '--ids'])).stdout).not.toContain('ask-1');
  });

  it('list what waits, take one answer, and say who was first', async () => {
    await fourRuns();
    const list = await place.run(['answer', 'gate-1']);
    expect(list.stdout).toContain('review  Refund an order of 60 days?');
    expect(list.stdout).toContain('choices: approve, reject');
    const wrong = await place.run(['answer', 'gate-1', 'review', '--choose', 'aprove']);
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('(did you mean "approve"?)'),
    });
    const first = await place.run([
      'answer',
      'gate-1',
      'review',
      '--choose',
      'reject',
      '--by',
      'maria',
      '--note',
      'too old',
    ]);
    expect({ code: first.code, output: JSON.parse(first.stdout) }).toEqual({ code: 1, output: { refunded: false } });
    const second = await place.run(['answer', 'gate-1', 'review', '--choose', 'approve']);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('"review" was answered already by maria at');
    const third = await place.run(['answer', 'gate-1', '--choose', 'approve']);
    expect({ code: third.code, stderr: third.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('gate-1 asks nothing any more: maria chose reject at review: too old'),
    });
    expect((await place.run(['why', 'gate-1'])).stdout).toContain('because   maria chose reject at review: too old');
    const answered = (await jsonLines(['events', 'gate-1', '--type', 'request_answered'])).at(0);
    expect(answered?.['data']).toMatchObject({ answer: { by: 'maria', reason: 'too old', value: 'reject' } });
  });

  it('cancel a run that waits, which can still be resumed', async () => {
    await fourRuns();
    const cancelled = await place.run(['cancel', 'gate-1', '--by', 'maria']);
    expect({ code: cancelled.code, stderr: cancelled.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('gate-1: Cancelled by an operator'),
    });
    expect(await place.json(['why', 'gate-1', '--json'])).toMatchObject({
      segment: 2,
      ending: { kind: 'cancelled', open: true },
    });
    expect((await place.run(['cancel', 'good-1'])).stderr).toContain('good-1 has a final ending already');
  });

  it('of two resumes at once let one win', async () => {
    await place.run(['run', 'loop.yaml', '--run-id', 'loop-1']);
    const both = await Promise.all([0, 1].map(() => place.run(['resume', 'loop-1', '--max-iterations', '8'])));
    const codes = both.map(({ code }) => code).sort();
    expect(codes[1]).toBe(3);
    expect([2, 3]).toContain(codes[0]);
    const opened = await jsonLines(['events', 'loop-1', '--type', 'segment_opened']);
    expect(opened).toHaveLength(1);
  });
});

describe('what-if and stats', () => {
  it('try limits on stored runs without running anything', async () => {
    await fourRuns();
    const { stdout } = await place.run(['what-if', 'loop-1', '--max-iterations', '2']);
    expect(stdout).toContain('loop-1  would have ended at step 2 (max_iterations)');
    const sweep = await place.run(['what-if', '--last', '4', '--sweep', 'max-iterations=1..5', '--svg', 'trade.svg']);
    expect(sweep.stdout).toContain('MAX-ITERATIONS');
    expect(readFileSync(place.path('trade.svg'), 'utf8')).toContain('<polyline');
    const refused = await place.run(['what-if', '--last', '4', '--temperature', '0']);
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--temperature cannot be tried on recorded runs'),
    });
  });

  it('count endings', async () => {
    await fourRuns();
    const stats = (await place.json(['stats', '--json'])) as {
      readonly runs: number;
      readonly kinds: readonly { readonly kind: string; readonly category: string; readonly count: number }[];
    };
    expect(stats.runs).toBe(4);
    expect(stats.kinds.map(({ kind, category, count }) => `${kind} ${category} ${count}`).sort()).toEqual([
      'gate_pending paused 1',
      'max_iterations capacity 1',
      'terminated fatal 1',
      'terminated success 1',
    ]);
    expect((await place.run(['stats'])).stdout).toContain('4 runs');
  });
});

describe('keeping runs', () => {
  it('verify says consistent, proved, or where a journal was changed', async () => {
    await fourRuns();
    const consistent = await place.run(['verify', 'good-1']);
    expect(consistent.stdout).toContain('good-1: consistent');
    const head = /head ([0-9a-f]{64})/.exec(consistent.stdout)?.[1] ?? '';
    expect((await place.run(['verify', 'good-1', '--head', head])).stdout).toContain('good-1: proved');
    expect(await place.run(['verify', '--all'])).toMatchObject({ code: 0, stdout: '4 runs, 0 broken\n' });
    alter("UPDATE journal SET data = replace(data, 'is 120 days old', 'is 220 days old')");
    const broken = await place.run(['verify', '--all']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/refused-1: broken at entry \d+: /);
    expect(broken.stdout).toContain('4 runs, 1 broken');
  });

  it('nothing is told of a run whose row or journal was changed', async () => {
    await fourRuns();
    alter(
      "UPDATE runs SET kind = 'terminated', category = 'success', outcome = 'succeeded' WHERE run_id = 'refused-1'",
    );
    alter(
      "UPDATE journal SET data = replace(data, 'loop', 'loup') WHERE run = (SELECT id FROM runs WHERE run_id = 'loop-1')",
    );
    const listed = await jsonLines(['runs', '--json']);
    const damaged = listed.filter(({ damage }) => damage !== undefined);
    expect(damaged.map(({ runId }) => runId)).toContain('refused-1');
    expect((await place.run(['runs'])).stdout).toMatch(/refused-1 .* damaged/);
    for (const runId of ['refused-1', 'loop-1']) {
      const why = await place.run(['why', runId]);
      expect(why.code).toBe(1);
      expect(why.stdout).toContain('Its journal is broken at entry');
      expect(why.stdout).toContain('fullstop verify --all');
      expect((await place.run(['show', runId])).code).toBe(1);
    }
    expect((await place.run(['why', 'good-1'])).code).toBe(0);
    expect((await place.run(['verify', '--all'])).stdout).toContain('4 runs, 2 broken');
  });

  it('export and import carry whole runs to another store', async () => {
    await fourRuns();
    await place.run(['export', '--all', '-o', 'all.jsonl']);
    expect((await place.run(['import', 'all.jsonl', '--store', 'other.db'])).stderr).toContain('Imported 4 runs.');
    expect((await place.run(['import', 'all.jsonl', '--store', 'other.db'])).stderr).toContain('4 were there already.');
    const answered = await place.run(['answer', 'gate-1', '--choose', 'approve', '--store', 'other.db']);
    expect({ code: answered.code, output: JSON.parse(answered.stdout) }).toEqual({ code: 0, output: { age: 60 } });
    writeFileSync(
      place.path('bad.jsonl'),
      readFileSync(place.path('all.jsonl'), 'utf8').replace('refused-1', 'refused-9'),
    );
    expect(await place.run(['import', 'bad.jsonl', '--store', 'third.db'])).toMatchObject({ code: 2 });
  });

  it('backup, prune and erase', async () => {
    await fourRuns();
    expect((await place.run(['backup', 'copy.db'])).code).toBe(0);
    expect((await place.run(['backup', 'copy.db'])).code).toBe(2);
    expect((await place.run(['erase', 'refused-1'])).stderr).toContain('Not interactive: pass --yes to confirm.');
    expect((await place.run(['erase', 'refused-1', '--yes', '--by', 'maria'])).code).toBe(0);
    expect((await place.run(['verify', 'refused-1'])).stdout).toMatch(
      /refused-1: erased on .* by maria; \d+ entries are gone on purpose\./,
    );
    expect((await place.run(['why', 'refused-1'])).code).toBe(2);
    expect((await place.run(['prune', '--older-than', '0s', '--yes'])).stderr).toContain('Removed 1 runs.');
    expect(lines((await place.run(['runs', '--ids'])).stdout)).toEqual(['gate-1', 'loop-1']);
    expect(lines((await place.run(['runs', '--ids', '--store', 'copy.db'])).stdout)).toHaveLength(4);
  });
});

describe('a worker', () => {
  it('continues with what was answered', async () => {
    await place.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'gate-1']);
    await place.run(['answer', 'gate-1', '--choose', 'approve', '--no-run']);
    const worker = await place.run(['worker', '--until-idle']);
    expect(worker.stderr).toContain('Working on refund');
    expect(await place.json(['why', 'gate-1', '--json'])).toMatchObject({
      ending: { kind: 'terminated', outcome: 'succeeded' },
    });
  });

  it('resumes a run whose process was killed', async () => {
    const { child, finished, says } = place.start(['run', 'slow.yaml', '--run-id', 'slow-1']);
    await says('nap');
    child.kill('SIGKILL');
    await finished;
    const worker = place.start(['worker']);
    await worker.says('Working on slow');
    await place.run(['cancel', 'slow-1']);
    worker.child.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    expect(await place.json(['why', 'slow-1', '--json'])).toMatchObject({ ending: { kind: 'cancelled' } });
  });
});
