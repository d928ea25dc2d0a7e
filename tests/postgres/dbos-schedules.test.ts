import { describe, expect, test } from 'vitest';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { openDbos, openOperator, startStubborn } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const hour = 3_600_000;

const report = defineRun<{ readonly topic: string }, ReturnType<typeof terminations.naturalEnd>>({
  name: 'report',
  version: '7',
  run: async (context, { topic }) => {
    await context.step('write', () => topic);
    return terminations.naturalEnd();
  },
});

async function ranOf(url: string, schema: string, schedule: string): Promise<readonly string[]> {
  const text = `SELECT run_id FROM ${schema}.runs WHERE run_id LIKE '${schedule}-%' ORDER BY run_id`;
  return (await ask<{ run_id: string }>(url, text)).map(({ run_id: id }) => id);
}

/** The ids of the runs that a schedule has for these instants. */
function idsOf(schedule: string, instants: readonly number[]): readonly string[] {
  return instants.map((at) => `${schedule}-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`);
}

describe.skipIf(isPostgresMissing)('a schedule', () => {
  test('is made, changed, listed and removed before there is any worker', async () => {
    const schema = 'listed';
    const engine = openDbos({ url: database.url, schema });
    expect(await engine.schedules()).toEqual([]);
    expect(await engine.unschedule('report')).toBe(false);
    const made = await engine.schedule(report, { cron: '30 6 * * 1-5', input: { topic: 'news' } });
    expect(made).toMatchObject({ name: 'report', timezone: 'UTC', missed: 'skip', paused: false });
    expect(made.run).toEqual({ name: 'report', version: '7' });
    expect(new Date(made.nextAt ?? 0).toISOString()).toMatch(/T06:30:00\.000Z$/);
    const options = { cron: '@daily', input: { topic: 'weather' }, timezone: 'Asia/Tokyo', missed: 'run' } as const;
    const changed = await engine.schedule(report, options);
    expect(new Date(changed.nextAt ?? 0).toISOString()).toMatch(/T15:00:00\.000Z$/);
    // Another store of the same database has schedules of its own.
    const other = openDbos({ url: database.url, schema: 'unlisted' });
    await other.schedule(report, { cron: '@hourly', input: { topic: 'theirs' } });
    expect(await engine.schedules()).toEqual([changed]);
    expect(changed).toMatchObject({ cron: '@daily', missed: 'run', input: { topic: 'weather' } });
    expect(await engine.unschedule('report')).toBe(true);
    expect(await engine.schedules()).toEqual([]);
    expect(await other.schedules()).toHaveLength(1);
  });

  test.each([
    [{ cron: '61 * * * *' }, /cron is "61 \* \* \* \*", which cannot be read \(.*\); it must be five fields/],
    [{ cron: 'daily' }, /cron is "daily", which cannot be read/],
    [{ cron: '0 0 31 2 *' }, /impossible day/],
    [{ timezone: 'Mars/Base' }, /timezone is "Mars\/Base"; it must be a name of the IANA database/],
    [{ name: 'a b' }, /name is "a b"; it must begin with a letter or digit/],
    [{ missed: 'maybe' as 'run' }, /missed is "maybe"; it must be one of "skip", "run"/],
  ])('of %j is refused with what is allowed', async (wrong, message) => {
    const engine = openDbos({ url: database.url, schema: 'refused' });
    const options = { cron: '@daily', input: { topic: 'x' }, ...wrong };
    const refused = expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(message) });
    await expect(engine.schedule(report, options)).rejects.toEqual(refused);
  });

  test('starts one run per tick, whichever of several workers lives, and none after it was removed', async () => {
    const schema = 'ticking';
    const engine = openDbos({ url: database.url, schema });
    await engine.schedule(report, { name: 'tick', cron: '* * * * * *', input: { topic: 'time' } });
    engine.worker([report]);
    await expect.poll(() => ranOf(database.url, schema, 'tick')).not.toEqual([]);
    // A process of another version, which is the newest: ticks are queued for it from now on.
    const child = startStubborn(database.url, schema, 15_000);
    await engine.start({ runId: 'theirs', name: 'stubborn', version: '1' });
    await expect.poll(child.said).toContain('in the second step');
    const ofNewest = async (): Promise<number> => {
      const text = `SELECT count(*)::int AS count FROM dbos.workflow_status WHERE schedule_name LIKE 'tick@${schema}%' GROUP BY application_version`;
      return (await ask(database.url, text)).length;
    };
    await expect.poll(ofNewest).toBe(2);
    child.process.kill('SIGKILL');
    const atDeath = (await ranOf(database.url, schema, 'tick')).length;
    await expect.poll(async () => (await ranOf(database.url, schema, 'tick')).length).toBeGreaterThan(atDeath + 1);
    expect(await engine.unschedule('tick')).toBe(true);
    const ended = (await ranOf(database.url, schema, 'tick')) as [string, ...string[]];
    expect(new Set(ended).size).toBe(ended.length);
    for (const runId of ended) expect((await engine.waitForEnding(runId, 1)).termination.kind).toBe('natural_end');
    expect((await engine.journal(ended[0]))[0]).toMatchObject({ data: { version: '7', input: { topic: 'time' } } });
  });

  test('makes up for missed ticks only where it was asked to, and a tick that was cancelled in DBOS is left out', async () => {
    const schema = 'missing';
    const engine = openDbos({ url: database.url, schema });
    for (const missed of ['run', 'skip'] as const)
      await engine.schedule(report, { name: `${missed}-late`, cron: '0 * * * *', input: { topic: missed }, missed });
    const now = Date.now();
    const lastHour = now - (now % hour);
    await ask(database.url, 'UPDATE dbos.workflow_schedules SET last_fired_at = $1 WHERE schedule_name LIKE $2', [
      new Date(lastHour - 3 * hour).toISOString(),
      `%-late@${schema}.`,
    ]);
    const missedAt = [lastHour - 2 * hour, lastHour - hour, lastHour];
    const operator = await openOperator(database.url);
    // Known to DBOS and cancelled before any worker is there.
    await operator.enqueue(
      {
        workflowName: 'fullstop.tick',
        workflowID: `sched-run-late@${schema}.-${new Date(lastHour - hour).toISOString()}`,
        queueName: '_dbos_internal_queue',
      },
      new Date(lastHour - hour),
      {},
    );
    await operator.cancelWorkflow(`sched-run-late@${schema}.-${new Date(lastHour - hour).toISOString()}`);
    engine.worker([report]);
    const wanted = idsOf('run-late', [missedAt[0] as number, missedAt[2] as number]);
    await expect.poll(() => ranOf(database.url, schema, 'run-late')).toEqual(expect.arrayContaining([...wanted]));
    expect(await ranOf(database.url, schema, 'run-late')).not.toContain(idsOf('run-late', [lastHour - hour])[0]);
    expect(await ranOf(database.url, schema, 'skip-late')).toEqual([]);
  });
});
