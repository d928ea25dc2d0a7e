import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { checkJournal } from '../../testing/check-journal.js';
import { type FaultyEngine, faultyEngine } from '../../testing/faulty-engine.js';
import { type SimulatedClock, simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun, type RunDefinition } from '../define-run.js';
import { drive } from './drive.js';
import type { Machine, MachineDecision, MachineEffect, MachineObservation, MachinePerformer } from './machine.js';

type State = readonly MachineObservation[];

/** One batch that stops at its first failure; a unit that fails ends the run, and its output says what was observed. */
function oneBatch(effects: readonly MachineEffect<string>[], concurrency: number): Machine<State, string, undefined> {
  return {
    init: () => [],
    decide(seen): MachineDecision<string> {
      if (seen.length === 0) return { type: 'perform', effects, concurrency, failFast: true };
      if (seen.length < effects.length) return { type: 'wait' };
      const output = seen.map(shown) as JsonValue;
      const failed = seen.find((each) => each.type === 'unit' && each.result.termination.kind === 'failed');
      if (failed?.type !== 'unit')
        return { type: 'end', termination: terminations.flowCompleted({ last: 'batch' }), output };
      const { termination } = failed.result;
      const child = { name: failed.key, path: failed.key };
      return { type: 'end', termination: terminations.childFailed({ child, termination }), output };
    },
    apply: (seen, observation) => [...seen, observation],
  };
}

function shown(observation: MachineObservation): JsonValue {
  const { key, type } = observation;
  if (type === 'unit') return [key, observation.result.termination.kind];
  if (type === 'error') return [key, observation.error.code ?? observation.error.message, observation.outcomeUnknown];
  return [key, type];
}

const unit = (key: string): MachineEffect<string> => ({ type: 'unit', key, plan: key });
const step = (key: string, once = false): MachineEffect<string> => ({
  type: 'step',
  key,
  plan: key,
  options: { once },
});

function define(
  effects: readonly MachineEffect<string>[],
  performer: MachinePerformer<string>,
  { concurrency = 9, alwaysReplay = false } = {},
): RunDefinition<undefined, never, JsonValue> {
  const machine = oneBatch(effects, concurrency);
  return defineRun({
    name: 'batch',
    alwaysReplay,
    run: (context, input: undefined) => drive({ machine, performer, context, input }),
  }) as unknown as RunDefinition<undefined, never, JsonValue>;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** In the first segment `fails` fails and `hangs` never comes back by itself; all others come through. */
function members(performed: string[]): MachinePerformer<string> {
  return {
    step: (key) => {
      performed.push(key);
      if (key === 'fails') throw new Error('broken');
      return key === 'hangs' || key === 'once' ? never() : key;
    },
    unit: async (key, context) => {
      await context.step(`${key} begins`, () => performed.push(key));
      if (context.segment === 1 && key === 'hangs') await context.step('hang', ({ signal }) => whenAborted(signal));
      if (context.segment === 1 && key === 'fails')
        await context.step('break', () => Promise.reject(new Error('broken')));
      return { termination: terminations.naturalEnd(), also: [] };
    },
  };
}

function whenAborted(signal: { addEventListener(type: 'abort', listener: () => void): void }): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')));
  });
}

/** Executes a run owner after owner until it has an ending. */
async function toTheEnd(engine: FaultyEngine, run: RunDefinition<undefined, never, JsonValue>): Promise<Envelope> {
  await engine.start({ runId: 'r', name: 'batch', version: '1' });
  for (;;) {
    const session = await engine.claim('r', 'worker');
    if (session !== undefined) await Promise.race([run.execute(session, engine), engine.lost('r')]);
    const ending = await engine.ending('r');
    if (ending !== undefined) return ending;
  }
}

describe('a batch that stops at its first failure', () => {
  const units = ['hangs', 'fails', 'waits its turn', 'waits too'].map(unit);
  const stopped = [
    ['hangs', 'cancelled'],
    ['fails', 'failed'],
    ['waits its turn', 'not_started'],
    ['waits too', 'not_started'],
  ];

  test('ends units under way as cancelled by their parent, and never starts the others', async () => {
    const performed: string[] = [];
    const result = await define(units, members(performed), { concurrency: 2 }).run(undefined);
    expect(result.output).toEqual(stopped);
    expect(performed).toEqual(['hangs', 'fails']);
    const entries = await result.journal();
    const [stop] = entries.flatMap((entry) => (entry.type === 'batch_stopped' ? [entry.data] : []));
    expect(stop).toMatchObject({ by: 'fails', cause: { kind: 'failed' }, notStarted: ['waits its turn', 'waits too'] });
    const cancelled = entries.find((entry) => entry.type === 'unit_ended' && entry.key === 'hangs');
    expect(cancelled?.data).toMatchObject({ termination: { by: 'parent', cause: stop?.cause } });
  });

  test('reaches the same ending when its owner dies at any entry, or at every await', async () => {
    const whole = await define(units, members([]), { concurrency: 2 }).run(undefined);
    const { length } = await whole.journal();
    for (let nth = 1; nth < length; nth += 1) {
      for (const effect of ['crash', 'crash_after'] as const) {
        const engine = faultyEngine(memoryEngine({ clock: simulatedClock() }), [{ point: 'append', effect, nth }]);
        const { output } = await toTheEnd(engine, define(units, members([]), { concurrency: 2 }));
        expect([nth, effect, output]).toEqual([nth, effect, stopped]);
      }
    }
    const run = define(units, members([]), { concurrency: 2, alwaysReplay: true });
    expect((await run.run(undefined)).output).toEqual(stopped);
  });

  test('keeps what had come to an end before its owner died, although another member fails first in the next process', async () => {
    const sleep: MachineEffect<string> = { type: 'sleep', key: 'sleep', milliseconds: 1 };
    const effects = [sleep, step('step'), unit('unit'), step('fails')];
    const failing = (clock: SimulatedClock, delayMs: number): MachinePerformer<string> => ({
      async step(key) {
        if (key === 'step') return key;
        if (delayMs > 0) await clock.sleep(delayMs);
        throw new Error('broken');
      },
      unit: async () => ({ termination: terminations.naturalEnd(), also: [] }),
    });
    const clock = simulatedClock();
    const first = await define(effects, failing(clock, 2)).run(undefined, { engine: memoryEngine({ clock }) });
    const journal = await first.journal();
    const isFailure = ({ type, key }: JournalEntry): boolean => type === 'step_ended' && key === 'fails';

    const engine = memoryEngine({ clock });
    await engine.importRun(journal.slice(0, journal.findIndex(isFailure)));
    const session = await engine.claim(first.runId, 'another');
    if (session !== undefined) await define(effects, failing(clock, 0)).execute(session, engine);
    expect((await engine.ending(first.runId))?.output).toEqual([
      ['sleep', 'slept'],
      ['step', 'value'],
      ['unit', 'natural_end'],
      ['fails', 'broken', false],
    ]);
    expect((await engine.ending(first.runId))?.output).toEqual(first.output);
    await checkJournal(engine, first.runId);
  });

  test('continues with all of its members when a resume continues the one that failed', async () => {
    const performed: string[] = [];
    const failed = await define(units, members(performed), { concurrency: 2 }).run(undefined);
    expect(failed.termination).toMatchObject({ kind: 'child_failed', child: { path: 'fails' } });
    const ended = await failed.resume({});
    expect(ended.termination).toMatchObject({ kind: 'flow_completed' });
    expect(ended.output).toEqual(units.map(({ key }) => [key, 'natural_end']));
    expect(performed).toEqual(['hangs', 'fails', 'waits its turn', 'waits too']);
  });

  test('gives up steps under way, and says of a once-step that nobody knows what became of it', async () => {
    const performed: string[] = [];
    const effects = [step('hangs'), step('once', true), step('fails'), step('queued'), step('queued once', true)];
    const result = await define(effects, members(performed), { concurrency: 3 }).run(undefined);
    expect(result.output).toEqual([
      ['hangs', 'BATCH_STOPPED', false],
      ['once', 'BATCH_STOPPED', true],
      ['fails', 'broken', false],
      ['queued', 'not_started'],
      ['queued once', 'not_started'],
    ]);
    expect(performed.sort()).toEqual(['fails', 'hangs', 'once']);
    const started = (await result.journal()).filter((entry) => entry.type === 'step_started');
    expect(started.map(({ key }) => key)).toEqual(['once']);
  });

  test('cuts a sleep short', async () => {
    const clock = simulatedClock();
    const sleep: MachineEffect<string> = { type: 'sleep', key: 'sleep', milliseconds: 60_000 };
    const before = clock.now();
    const run = define([sleep, step('fails')], members([]));
    const result = await run.run(undefined, { engine: memoryEngine({ clock }) });
    expect(result.output).toEqual([
      ['sleep', 'not_started'],
      ['fails', 'broken', false],
    ]);
    expect(clock.now()).toBe(before);
  });

  test('withdraws what a stopped unit had asked', async () => {
    const engine = memoryEngine();
    const performer: MachinePerformer<string> = {
      unit: async (key, context) => {
        if (key === 'asks') await context.wait({ id: 'asked', type: 'approval' });
        await context.step('break', () => Promise.reject(new Error('broken')));
        return { termination: terminations.naturalEnd(), also: [] };
      },
    };
    const result = await define([unit('asks'), unit('fails')], performer).run(undefined, { engine, runId: 'r' });
    expect(result.output).toEqual([
      ['asks', 'cancelled'],
      ['fails', 'failed'],
    ]);
    expect(await engine.openRequests('r')).toEqual([]);
    expect((await engine.answer('r', 'asked', { decision: 'approve' })).status).toBe('unknown');
  });

  test('lets the run pause although an effect of a stopped unit never comes back', async () => {
    const clock = simulatedClock();
    const run = defineRun({
      name: 'deaf',
      run: async (context) => {
        const machine = oneBatch([unit('deaf'), unit('fails')], 9);
        const performer: MachinePerformer<string> = {
          unit: async (key, inner) => {
            await inner.step(key, () => (key === 'deaf' ? never() : Promise.reject(new Error('broken'))));
            return { termination: terminations.naturalEnd(), also: [] };
          },
        };
        await context.child('batch', (inner) => drive({ machine, performer, context: inner, input: undefined }));
        await context.child('late', (inner) => inner.step('deaf', never), { limits: { timeMs: 100 } });
        await context.wait({ id: 'ok', type: 'approval' });
        return terminations.naturalEnd();
      },
    });
    const result = await run.run(undefined, { engine: memoryEngine({ clock }) });
    expect(result.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'ok' }] });
  });

  test.each([false, true])(
    'withdraws the question about a lost once-step, and asks again when the batch is resumed (alwaysReplay: %s)',
    async (alwaysReplay) => {
      const clock = simulatedClock();
      const engine = faultyEngine(memoryEngine({ clock }), [{ point: 'append', effect: 'crash', entry: 'step_ended' }]);
      let fails = true;
      const performed: string[] = [];
      const performer: MachinePerformer<string> = {
        step: (plan) => void performed.push(plan),
        unit: async (_, inner) => {
          await inner.wait({ id: 'later', type: 'gate' });
          const error = { name: 'Error', message: 'on purpose' };
          const failed = terminations.failed({ error, origin: 'stage', errorClass: 'unknown' });
          return { termination: fails ? failed : terminations.naturalEnd(), also: [] };
        },
      };
      const run = define([step('pay', true), unit('fails')], performer, { alwaysReplay });
      await engine.start({ runId: 'r', name: 'batch', version: '1' });
      await execute(run, engine);
      await execute(run, engine);
      const open = async (): Promise<readonly string[]> =>
        (await engine.openRequests('r')).map(({ type }) => type).sort();
      expect(await open()).toEqual(['confirm_outcome', 'gate']);
      await engine.answer('r', 'later', { decision: 'approve' });
      await execute(run, engine);
      const stopped = await engine.ending('r');
      expect(stopped?.termination.kind).toBe('child_failed');
      expect(stopped?.output).toEqual([
        ['pay', 'BATCH_STOPPED', true],
        ['fails', 'failed'],
      ]);
      expect(await open()).toEqual([]);
      fails = false;
      await engine.reopen({ runId: 'r', after: stopped?.segment ?? 0, because: 'resume' });
      await execute(run, engine);
      const [question] = await engine.openRequests('r');
      expect(question?.type).toBe('confirm_outcome');
      await engine.answer('r', question?.id ?? '', { decision: 'approve', value: 'paid' });
      await execute(run, engine);
      expect((await engine.ending('r'))?.output).toEqual([
        ['fails', 'natural_end'],
        ['pay', 'value'],
      ]);
      expect(performed).toEqual(['pay']);
      await checkJournal(engine, 'r');
    },
  );
});

/** Claims the run and executes it until its owner is gone or nothing is left to do. */
async function execute(run: RunDefinition<undefined, never, JsonValue>, engine: FaultyEngine): Promise<void> {
  const session = await engine.claim('r', 'test');
  if (session !== undefined) await Promise.race([run.execute(session, engine), engine.lost('r')]);
}
