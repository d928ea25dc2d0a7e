import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, type World } from './world.js';

/** A run with a bit of everything, which pauses once. */
function story(world: World) {
  return world.define<{ readonly n: number }>({
    name: 'story',
    onEnding: ['mail', 'hook'],
    run: async (context, { n }) => {
      context.emit({ chapter: 1 });
      const value = await context.step('read', world.effect('read', { text: 'x'.repeat(n) }));
      await context.record('judge', () => true);
      await context.sleep('nap', 50);
      const unit = await context.child('unit', async (inner) => {
        await inner.step('write', world.effect('write', 1), { once: true });
        return terminations.naturalEnd();
      });
      const { by } = await context.wait({ id: 'ok', type: 'approval' });
      return end(terminations.flowCompleted({ last: 'ok' }), {
        length: value.text.length,
        by,
        unit: unit.termination.kind,
      });
    },
  });
}

const answers = { ok: { decision: 'approve', by: 'maria' } } as const;

async function byType({ engine }: World, all: readonly JournalEntry[]): Promise<void> {
  const steps = all.filter(({ type }) => type === 'step_ended');
  const frame = all.filter(({ type }) => type === 'segment_opened' || type === 'segment_ended');
  checkEqual(await engine.journal('s', { types: ['step_ended'] }), steps, 'the steps');
  checkEqual(await engine.journal('s', { types: ['step_ended'], limit: 1 }), steps.slice(0, 1), 'the first step');
  checkEqual(await engine.journal('s', { types: ['segment_opened', 'segment_ended'] }), frame, 'the segments');
  checkEqual(await engine.journal('s', { newest: 3 }), all.slice(-3), 'the newest three');
  checkEqual(await engine.journal('s', { newest: 1, types: ['step_ended'] }), steps.slice(-1), 'the newest step');
  const [, , third] = all;
  const later = frame.filter(({ seq }) => seq > (third?.seq ?? 0));
  const query = { after: third?.seq ?? 0, types: ['segment_opened', 'segment_ended'], newest: 100 } as const;
  checkEqual(await engine.journal('s', query), later, 'the segments after an entry');
}

async function byCursor(world: World): Promise<void> {
  const run = story(world);
  await run.run({ n: 10 }, { engine: world.engine, runId: 's' });
  await run.resume('s', { engine: world.engine, answers });
  const all = await world.journal('s');
  const pages: JournalEntry[] = [];
  for (let after = 0; ; ) {
    const page = await world.engine.journal('s', { after, limit: 4 });
    check(page.length <= 4, 'a page is longer than its limit');
    if (page.length === 0) break;
    pages.push(...page);
    after = page.at(-1)?.seq ?? after;
  }
  checkEqual(pages, all, 'the pages together');
  checkEqual(await world.engine.journal('s', { after: all.length }), [], 'the entries after the last');
  checkEqual(await world.engine.journal('nobody'), [], 'the journal of an unknown run');
  await byType(world, all);
  const types = all.map(({ type }) => type).filter((type) => type !== 'observed');
  const expected = [
    'run_started',
    'emitted',
    'step_ended',
    'recorded',
    'sleep_started',
    'sleep_ended',
    'scope_opened',
    'step_started',
  ];
  expected.push(
    'step_ended',
    'unit_ended',
    'request_opened',
    'segment_ended',
    'segment_opened',
    'request_answered',
    'segment_ended',
  );
  checkEqual(types, expected, 'the types of the entries');
}

async function largeValues(world: World): Promise<void> {
  const run = story(world);
  await run.run({ n: 300_000 }, { engine: world.engine, runId: 's' });
  await world.restart();
  const result = await run.resume('s', { engine: world.engine, answers });
  checkEqual(result.output, { length: 300_000, by: 'maria', unit: 'natural_end' }, 'the output');
  const read = (await world.journal('s')).find(({ type }) => type === 'step_ended') as
    | JournalEntry<'step_ended'>
    | undefined;
  check(read?.data.ok === true && JSON.stringify(read.data.value).length > 300_000, 'a reader gets the whole value');
}

/** A journal from elsewhere continues here: from its end, or from wherever it was cut off. */
async function imported(world: World): Promise<void> {
  const run = story(world);
  await run.run({ n: 10 }, { engine: world.engine, runId: 's' });
  await run.resume('s', { engine: world.engine, answers });
  const entries = await world.journal('s');
  const original = await world.engine.ending('s');
  checkEqual(await world.engine.importRun(entries), 'exists', 'the import of a run that is there');
  for (let length = 1; length <= entries.length; length += 1) {
    const engine = await world.harness.openEmpty();
    checkEqual(await engine.importRun(entries.slice(0, length)), 'imported', 'the receipt');
    checkEqual(await engine.journal('s'), entries.slice(0, length), 'the imported entries');
    if ((await engine.ending('s')) === undefined) await executeNow(engine, run, 's');
    const ending = await answerAll(engine, run, 's');
    checkEqual(ending.termination, original?.termination, `the ending after ${length} entries`);
    await engine.close();
  }
}

/** Approves whatever the run asks until it asks nothing any more. */
async function answerAll(engine: Engine, run: ReturnType<typeof story>, runId: string): Promise<Envelope> {
  for (;;) {
    const ending = checkPresent(await engine.ending(runId), `an ending of ${runId}`);
    if (ending.termination.kind !== 'interaction_pending') return ending;
    const given = ending.termination.requests.map(({ id }) => [id, answers.ok] as const);
    await run.resume(runId, { engine, answers: Object.fromEntries(given) });
  }
}

async function outbox(world: World): Promise<void> {
  const { clock } = world;
  const run = story(world);
  await run.run({ n: 10 }, { engine: world.engine, runId: 's' });
  const engine = await world.restart();
  const due = await engine.dueNotices();
  const known = due.map(({ target, segment, attempts }) => `${target} ${segment} ${attempts}`).sort();
  checkEqual(known, ['hook 1 0', 'mail 1 0'], 'what is due');
  const payload = JSON.parse(due[0]?.payload ?? '{}') as { termination: unknown; persisted: boolean };
  const ending = await engine.ending('s');
  checkEqual([payload.termination, payload.persisted], [ending?.termination, true], 'the ending in the notice');
  checkEqual(due[0]?.headHash, ending?.headHash, 'the head that the notice comes with');
  const idOf = (target: string): string =>
    checkPresent(
      due.find((item) => item.target === target),
      target,
    ).id;
  const [mail, hook] = [idOf('mail'), idOf('hook')];
  await engine.settleNotice(mail);
  await engine.settleNotice(hook, clock.now() + 1000);
  checkEqual(await engine.dueNotices(), [], 'what is due after both were settled');
  await clock.advance(1000);
  checkEqual(
    (await engine.dueNotices()).map(({ id, attempts }) => [id, attempts]),
    [[hook, 1]],
    'what is due again',
  );
  await run.resume('s', { engine, answers });
  checkEqual(
    (await engine.dueNotices()).map(({ segment }) => segment),
    [1, 2, 2],
    'the segments of what is due, oldest first',
  );
  checkEqual((await engine.dueNotices(1)).length, 1, 'no more than asked for');
}

async function lists(world: World): Promise<void> {
  const { engine, clock } = world;
  const times: number[] = [];
  const run = (name: string) =>
    world.define<{ readonly end: string }>({
      name,
      run: async (context, input) => {
        if (input.end === 'pause') await context.wait({ id: 'ok', type: 'input' });
        if (input.end === 'fail') throw new Error('no');
        return terminations.naturalEnd();
      },
    });
  for (let index = 0; index < 12; index += 1) {
    times.push(clock.now());
    const how = ['natural', 'pause', 'fail'][index % 3] ?? '';
    await run(index < 9 ? 'first' : 'second').run(
      { end: how },
      { engine, runId: `run-${String(index).padStart(2, '0')}` },
    );
    await clock.advance(10);
  }
  await engine.start({ runId: 'waiting', name: 'third', version: '1' });
  const ids = async (filter: Parameters<typeof engine.list>[0]): Promise<readonly string[]> =>
    (await engine.list(filter)).runs.map(({ runId }) => runId.replace('run-', ''));
  checkEqual(await ids({ name: 'second' }), ['11', '10', '09'], 'by name, newest first');
  checkEqual(await ids({ kind: 'failed' }), ['11', '08', '05', '02'], 'by kind');
  checkEqual(await ids({ category: 'paused', name: 'first' }), ['07', '04', '01'], 'by category and name');
  checkEqual(await ids({ state: 'parked' }), ['10', '07', '04', '01'], 'by state');
  checkEqual(await ids({ state: 'ready' }), ['waiting'], 'those that nobody has taken yet');
  checkEqual(await ids({ startedAfter: times[2] ?? 0, startedBefore: times[5] ?? 0 }), ['04', '03'], 'by time');
  const pages: string[][] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await engine.list({ limit: 5, ...(cursor !== undefined && { cursor }) });
    pages.push(page.runs.map(({ runId }) => runId));
    cursor = page.next;
    more = cursor !== undefined;
  }
  checkEqual(
    pages.map((page) => page.length),
    [5, 5, 3],
    'the sizes of the pages',
  );
  checkEqual(new Set(pages.flat()).size, 13, 'the runs on all pages');
  const summary = checkPresent(await engine.summary('run-02'), 'the summary');
  const { kind, category, outcome, state, segment, startedAt } = summary;
  checkEqual(
    [kind, category, outcome, state, segment, startedAt],
    ['failed', 'fatal', 'failed', 'ended', 1, times[2]],
    'the summary',
  );
  checkEqual(await engine.summary('nobody'), undefined, 'the summary of an unknown run');
}

async function results(world: World): Promise<void> {
  const run = story(world);
  checkEqual(await run.result('s', { engine: world.engine }), undefined, 'the result of an unknown run');
  const paused = await run.run({ n: 1 }, { engine: world.engine, runId: 's' });
  const stored = checkPresent(await run.result('s', { engine: world.engine }), 'the stored result');
  checkEqual({ ...stored }, { ...paused }, 'the stored result and the one that was returned');
  await world.restart();
  const ended = await run.resume('s', { engine: world.engine, answers });
  await world.restart();
  const later = checkPresent(await run.result('s', { engine: world.engine }), 'the stored result');
  checkEqual({ ...later }, { ...ended }, 'the stored result after a restart');
  checkKind(later.termination, 'flow_completed');
}

export const journalCases: readonly ConformanceCase[] = [
  conformanceCase('returns the journal in pages by cursor', byCursor),
  conformanceCase('keeps large values whole', largeValues),
  conformanceCase('continues an imported journal, wherever it was cut off', imported),
  conformanceCase('keeps notices of endings due until they are settled', outbox),
  conformanceCase('lists runs by filters and in pages', lists),
  conformanceCase('stores results that equal the returned ones', results),
];
