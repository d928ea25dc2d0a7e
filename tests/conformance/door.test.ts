import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Engine, RunSession } from '../../packages/fullstop/src/engines/port/engine.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { end } from '../../packages/fullstop/src/run/ending/body-result.js';
import { verifyJournal } from '../../packages/fullstop/src/run/journal/verify-journal.js';
import { FullstopError } from '../../packages/fullstop/src/termination/errors/fullstop-error.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { engines } from './engines.js';
import { junk, spoiled } from './junk.js';

const job = defineRun({
  name: 'job',
  onEnding: ['ops'],
  run: async (context, { n }: { readonly n: number }) => {
    const value = await context.step('add', () => n + 1);
    if (n > 0) await context.wait({ id: 'ok', type: 'approval' });
    return end(terminations.naturalEnd(), { value });
  },
});

/** A store with a run that has ended and one that waits for an answer. */
async function fill(engine: Engine): Promise<readonly string[]> {
  await job.run({ n: 0 }, { engine, runId: 'run' });
  await job.run({ n: 1 }, { engine, runId: 'waiting' });
  return [JSON.stringify(await engine.journal('run')), JSON.stringify(await engine.journal('waiting'))];
}

type MethodName<T> = {
  [P in keyof T]-?: NonNullable<T[P]> extends (...given: never[]) => unknown ? P : never;
}[keyof T];

const definition = { name: 'nobody', version: '1', execute: async () => undefined };
const first = { runId: 'x', segment: 1, seq: 1, scope: '', ordinal: -1, at: 1, type: 'run_started' } as const;

/** A good call of every method that concerns no run that there is: a method that is missing does not compile. */
const goodCalls: Readonly<Record<MethodName<Engine>, readonly unknown[]>> = {
  start: [
    { runId: 'started', name: 'nobody', version: '1', input: { a: 1 }, options: {}, parent: { runId: 'p', scope: '' } },
  ],
  reopen: [
    { runId: 'unknown', after: 1, because: 'resume', by: 'x', options: {}, answers: { ok: { decision: 'approve' } } },
  ],
  claim: ['unknown', 'worker'],
  answer: ['unknown', 'ok', { decision: 'approve', value: 1, by: 'x' }],
  cancel: ['unknown', { by: 'operator', reason: 'x', hard: true }],
  openRequests: ['unknown'],
  ending: ['unknown'],
  waitForEnding: ['unknown', 1],
  waitUntilReady: ['unknown'],
  summary: ['run'],
  list: [{ name: 'job', state: 'ended', text: 'x', idPrefix: 'r', roots: true, startedAfter: 1, limit: 3 }],
  journal: ['run', { after: 1, limit: 2, types: ['step_ended'], newest: 1 }],
  dueNotices: [10],
  leaseNotices: [{ until: 1, slots: { nobody: 3 } }],
  settleNotice: ['unknown', 5, 6],
  importRun: [[{ ...first, data: { name: 'nobody', version: '1' } }]],
  worker: [[definition], { workerId: 'w', concurrency: 1 }],
  close: [],
};

const fuzzed = (Object.keys(goodCalls) as MethodName<Engine>[]).filter((name) => name !== 'close');
const waits: readonly string[] = ['waitForEnding', 'waitUntilReady'];

const call = fc.constantFrom(...fuzzed).chain((method) => {
  const given = fc.oneof(
    spoiled(goodCalls[method]),
    fc.array(junk, { maxLength: 4 }).map((makes) => () => makes.map((make) => make())),
  );
  return given.map((make) => ({ method, make }));
});

/** A wait for a run that there is would be a good one, and have no end. */
function isEndless(method: string, [runId]: readonly unknown[]): boolean {
  return waits.includes(method) && (runId === 'run' || runId === 'waiting');
}

/** True for errors that callers can tell apart. */
function isTyped(error: unknown): boolean {
  return (
    FullstopError.is(error) || (error as Error).name === 'RunIdConflict' || (error as Error).name === 'FencedError'
  );
}

async function perform(engine: Engine, method: MethodName<Engine>, values: readonly unknown[]): Promise<unknown> {
  const result = await (engine[method] as (...given: readonly unknown[]) => unknown)(...values);
  if (method === 'worker') await (result as { stop(graceMs: number): Promise<void> }).stop(0);
  return result;
}

describe.each(engines)('the door of the %s engine', (name, open) => {
  test('lets every good call pass', async () => {
    const engine = open();
    await fill(engine);
    for (const method of fuzzed) {
      // The memory engine too has no run of that id.
      if (method === 'waitForEnding')
        await expect(perform(engine, method, goodCalls[method])).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
      else await perform(engine, method, goodCalls[method]);
    }
  });

  test.each<[string, (engine: Engine) => Promise<unknown>, string]>([
    [
      'a cancellation by nobody',
      (engine) => engine.cancel('waiting', { by: 'someone' as never }),
      'cancel: by is "someone"; it must be one of "caller", "parent", "signal", "operator".',
    ],
    [
      'a boolean as an id',
      (engine) => engine.summary(true as never),
      'summary: runId is true; it must be a text that is not empty',
    ],
    [
      'a boolean in a filter',
      (engine) => engine.list({ name: true as never }),
      'list: name is true; it must be a text',
    ],
    ['a misspelt filter', (engine) => engine.list({ nmae: 'x' } as never), 'did you mean "name"?'],
    [
      'half a pair in an id',
      (engine) => engine.start({ runId: 'x\ud800', name: 'n', version: '1' }),
      'start: runId is',
    ],
    ['a NUL in an id', (engine) => engine.claim('x\u0000', 'w'), 'claim: runId is'],
  ])('refuses %s and says what is allowed', async (_, attack, message) => {
    const engine = open();
    const before = await fill(engine);
    await expect(attack(engine)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message) as string,
    });
    expect([JSON.stringify(await engine.journal('run')), JSON.stringify(await engine.journal('waiting'))]).toEqual(
      before,
    );
  });

  test('answers junk in any argument of any method with a typed error, and the store is unharmed', async () => {
    const engine = open();
    await fill(engine);
    await fc.assert(
      fc.asyncProperty(call, async ({ method, make }) => {
        const values = make();
        if (isEndless(method, values)) return;
        const outcome = await perform(engine, method, values).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (outcome !== undefined && !isTyped(outcome))
          throw new Error(`${method} failed with ${String(outcome)}`, { cause: outcome });
      }),
      { numRuns: 1500 },
    );
    for (const { runId } of (await engine.list({ limit: 1000 })).runs)
      expect(await verifyJournal(await engine.journal(runId))).toMatchObject({ verdict: 'consistent' });
    expect(await engine.ending('run')).toMatchObject({ outcome: 'succeeded' });
    expect((await job.run({ n: 0 }, { engine, runId: 'after' })).outcome).toBe('succeeded');
    const state = (await engine.summary('waiting'))?.state;
    if (state === 'parked' || state === 'ended') {
      const result = await job.resume('waiting', { engine, answers: { ok: { decision: 'approve' } } }).catch(isTyped);
      expect(result === true || typeof result === 'object').toBe(true);
    }
  });

  test('answers junk in any method of a session with a typed error, and the run can still end', async () => {
    const engine = open();
    await engine.start({ runId: 'held', name: 'job', version: '1', input: { n: 0 } });
    const session = (await engine.claim('held', 'w')) as RunSession;
    const draft = {
      type: 'step_ended',
      scope: '',
      ordinal: 0,
      key: 'k',
      at: 1,
      data: { ok: true, value: 1, attempts: 1 },
    };
    const notice = { id: 'n', runId: 'held', segment: 1, target: 't', payload: '{}', attempts: 0, dueAt: 1 };
    const envelope = { ...draft, type: 'segment_ended', data: { envelope: {} } };
    const sessionCalls: Readonly<Partial<Record<MethodName<RunSession>, readonly unknown[]>>> = {
      conclude: [envelope, [notice]],
      listen: [],
      onFenced: [],
      expire: [true],
      append: [{ ...draft, key: '\u0000' }],
    };
    const names = Object.keys(sessionCalls) as (keyof typeof sessionCalls)[];
    const sessionCall = fc
      .constantFrom(...names)
      .chain((method) => spoiled(sessionCalls[method] ?? []).map((make) => ({ method, make })));
    await fc.assert(
      fc.asyncProperty(sessionCall, async ({ method, make }) => {
        const values = make();
        try {
          await (session[method] as ((...given: readonly unknown[]) => unknown) | undefined)?.(...values);
        } catch (error) {
          if (!isTyped(error)) throw new Error(`${method} failed with ${String(error)}`, { cause: error });
        }
      }),
      { numRuns: 500 },
    );
    await session.flush();
    await job.execute(session, engine);
    expect(await engine.ending('held')).toMatchObject({ outcome: 'succeeded' });
    expect(await verifyJournal(await engine.journal('held'))).toMatchObject({ verdict: 'consistent' });
  });

  test('is closed by close, whatever it is given', async () => {
    const engine = open();
    await (engine.close as (...given: readonly unknown[]) => Promise<void>)(Symbol('junk'), name);
  });
});
