import { host } from '../../engines/port/host.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, startOnly, type World } from './world.js';

/** As many runs as have to be at work at the same time. */
const together = 21;

async function manyRuns(world: World): Promise<void> {
  const { engine, clock } = world;
  const { crowd: count = 1000 } = world.harness;
  let [active, most] = [0, 0];
  const run = world.define<{ readonly n: number }>({
    name: 'many',
    run: async (context, { n }) => {
      const half = await context.step('half', async () => {
        active += 1;
        most = Math.max(most, active);
        // Nobody ends before many are at work: how fast an engine begins is for the machine to say.
        while (most < together) await new Promise<void>((resolve) => host.setTimeout(resolve, 5));
        await clock.sleep(n % 7);
        active -= 1;
        return n / 2;
      });
      const whole = await context.step('whole', () => 2 * half);
      return end(terminations.naturalEnd(), { whole });
    },
  });
  const worker = engine.worker([run], { concurrency: 200 });
  const ids = Array.from({ length: count }, (_, n) => `many-${n}`);
  await Promise.all(ids.map((runId, n) => startOnly(engine, run, runId, { n })));
  const endings = await Promise.all(ids.map((runId) => engine.waitForEnding(runId, 1)));
  for (const [n, ending] of endings.entries()) checkEqual(ending.output, { whole: n }, `the output of run ${n}`);
  check(most <= 200, `${most} runs were executed at a time, but the worker takes 200`);
  await worker.stop(0);
}

/** A worker takes only what it can execute. */
async function ownDefinitions(world: World): Promise<void> {
  const { engine } = world;
  const define = (name: string, version: string) =>
    world.define({ name, version, run: async () => end(terminations.naturalEnd(), { by: `${name} ${version}` }) });
  const worker = engine.worker([define('a', '1'), define('b', '2')]);
  const all = [define('a', '1'), define('a', '2'), define('b', '1'), define('b', '2')];
  for (const run of all) await startOnly(engine, run, `${run.name}${run.version}`);
  const [a1, b2] = await Promise.all([engine.waitForEnding('a1', 1), engine.waitForEnding('b2', 1)]);
  checkEqual([a1.output, b2.output], [{ by: 'a 1' }, { by: 'b 2' }], 'the outputs');
  checkEqual(
    [(await engine.summary('a2'))?.state, (await engine.summary('b1'))?.state],
    ['ready', 'ready'],
    'what it cannot execute',
  );
  await worker.stop(0);
}

/** What a worker is given later shares its places, and one definition with many runs keeps no other waiting. */
async function addedDefinitions(world: World): Promise<void> {
  const { engine, clock } = world;
  let [active, most] = [0, 0];
  const define = (name: string) =>
    world.define({
      name,
      run: async (context) => {
        await context.step('work', async () => {
          active += 1;
          most = Math.max(most, active);
          await clock.sleep(5);
          active -= 1;
          world.done.push(name);
        });
        return terminations.naturalEnd();
      },
    });
  const [busy, quiet] = [define('busy'), define('quiet')];
  const worker = engine.worker([busy], { concurrency: 2 });
  const ids = Array.from({ length: 24 }, (_, index) => `run-${index}`);
  await Promise.all(ids.map((runId, index) => startOnly(engine, index < 20 ? busy : quiet, runId)));
  worker.add([busy, quiet]);
  await Promise.all(ids.map((runId) => engine.waitForEnding(runId, 1)));
  // Where a scheduler hands out runs, the room of a process is that of its largest worker.
  check(engine.queued === true || most <= 2, `${most} runs were executed at a time, but the worker takes 2`);
  checkEqual([world.times('busy'), world.times('quiet')], [20, 4], 'how often they were executed');
  await worker.stop(0);
}

/** A worker that is stopped takes nothing new and waits for what it has. */
async function stops(world: World): Promise<void> {
  const { engine, clock } = world;
  let begin: (value?: undefined) => void = () => undefined;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const run = world.define({
    name: 'slow',
    run: async (context) => {
      await context.step('slow', () => {
        begin();
        return clock.sleep(1000);
      });
      return terminations.naturalEnd();
    },
  });
  const worker = engine.worker([run]);
  await startOnly(engine, run, 'before');
  await begun;
  const stopping = worker.stop(5000);
  await startOnly(engine, run, 'after');
  await stopping;
  checkEqual((await engine.ending('before'))?.termination.kind, 'natural_end', 'the run that it had');
  checkEqual((await engine.summary('after'))?.state, 'ready', 'the run that came too late');
}

/** A long sleep parks the run on durable engines, and a worker continues when it is over. */
async function sleeps(world: World): Promise<void> {
  const { engine, clock } = world;
  const day = 86_400_000;
  const run = world.define({
    name: 'sleeper',
    run: async (context) => {
      await context.step('before', world.effect('before', 1));
      await context.sleep('night', day);
      await context.step('after', world.effect('after', 1));
      return terminations.naturalEnd();
    },
  });
  const worker = engine.worker([run]);
  const start = clock.now();
  await startOnly(engine, run, 'sleeper');
  const ending = await engine.waitForEnding('sleeper', 1);
  checkKind(ending.termination, 'natural_end');
  checkEqual(
    [ending.segment, ending.endedAt - start, ending.durationMs],
    [1, day, day],
    'segment, end and active time',
  );
  checkEqual(world.done, ['before', 'after'], 'the effects');
  await worker.stop(0);
  const alone = await run.run(undefined, { engine, runId: 'alone' });
  checkEqual([alone.termination.kind, alone.durationMs], ['natural_end', day], 'the same without a worker');
}

async function parks(world: World): Promise<void> {
  const { clock } = world;
  const run = world.define({
    name: 'parker',
    limits: { timeMs: 50_000 },
    run: async (context) => {
      const gate = context.wait({ id: 'go', type: 'gate', deadline: context.now() + 20_000, onExpiry: 'reject' });
      await Promise.all([gate, context.sleep('long', 100_000)]);
      return terminations.naturalEnd();
    },
  });
  const running = run.run(undefined, { engine: world.engine, runId: 'parker' });
  await clock.advance(10_000);
  checkEqual((await world.engine.summary('parker'))?.state, 'parked', 'the state while it sleeps');
  const result = await running;
  checkEqual(
    result.termination,
    { kind: 'time_budget', limitMs: 50_000, elapsedMs: 50_000, scope: 'run' },
    'the ending',
  );
  const expired = (await world.journal('parker')).find(({ type }) => type === 'request_expired');
  check(expired !== undefined, 'the deadline was not applied while it slept');
}

/** Two instances on one store: what one does reaches the other. */
async function twoInstances(world: World): Promise<void> {
  const run = world.define({
    name: 'shared',
    run: async (context) => {
      const { by } = await context.wait({ id: 'ok', type: 'input' });
      await context.wait({ id: 'never', type: 'input' });
      return end(terminations.naturalEnd(), { by });
    },
  });
  const other = await world.harness.open();
  const worker = other.worker([run]);
  await startOnly(world.engine, run, 'shared');
  await world.engine.waitForEnding('shared', 1);
  checkEqual(
    (await world.engine.answer('shared', 'ok', { decision: 'value', by: 'ann' })).status,
    'delivered',
    'the receipt',
  );
  const second = await world.engine.waitForEnding('shared', 2);
  checkEqual(
    checkKind(second.termination, 'interaction_pending').requests.map(({ id }) => id),
    ['never'],
    'what is open',
  );
  checkEqual(await world.engine.cancel('shared', { by: 'operator' }), 'requested', 'the receipt');
  const third = await world.engine.waitForEnding('shared', 3);
  checkEqual(third.termination, { kind: 'cancelled', by: 'operator' }, 'the ending');
  await worker.stop(0);
  await other.close();
}

async function shareTheLoad(world: World): Promise<void> {
  const owners = new Set<string>();
  const instances = [world.engine, await world.harness.open()];
  const workers = instances.map((engine, index) => {
    const run = world.define<{ readonly n: number }>({
      name: 'load',
      run: async (context, { n }) => {
        await context.step('work', async () => {
          owners.add(String(index));
          world.done.push(`work ${n}`);
          await new Promise((resolve) => world.clock.callAt(world.clock.now() + 5, () => resolve(undefined)));
        });
        return terminations.naturalEnd();
      },
    });
    return { worker: engine.worker([run], { concurrency: 5 }), run };
  });
  const [first] = workers;
  const ids = Array.from({ length: 60 }, (_, n) => `load-${n}`);
  await Promise.all(ids.map((runId, n) => first && startOnly(world.engine, first.run, runId, { n })));
  await Promise.all(ids.map((runId) => world.engine.waitForEnding(runId, 1)));
  for (const { worker } of workers) await worker.stop(0);
  checkEqual(new Set(world.done).size, 60, 'the runs that were executed');
  checkEqual(world.done.length, 60, 'how often they were executed');
  checkEqual(owners.size, 2, 'the instances that took part');
  await instances[1]?.close();
}

/** The runs of an instance that is gone are continued by another. */
async function takesOver(world: World): Promise<void> {
  const other = await world.harness.open();
  const define = (hang: boolean) =>
    world.define({
      name: 'orphan',
      run: async (context) => {
        await context.step('first', world.effect('first', 1));
        await context.step('second', () => (hang ? new Promise(() => undefined) : world.effect('second', 1)()));
        return terminations.naturalEnd();
      },
    });
  const worker = other.worker([define(true)]);
  await startOnly(world.engine, define(true), 'orphan');
  while (world.times('first') === 0) await world.clock.advance(1);
  await worker.stop(0);
  await other.close();
  const result = await define(false).run(undefined, { engine: world.engine, runId: 'orphan' });
  checkKind(result.termination, 'natural_end');
  checkEqual(world.done, ['first', 'second'], 'the effects');
}

export const workerCases: readonly ConformanceCase[] = [
  conformanceCase('executes a crowd of runs at once', manyRuns),
  conformanceCase('takes only runs that the worker can execute', ownDefinitions),
  conformanceCase('takes definitions later, which share the places of the worker', addedDefinitions),
  conformanceCase('stops a worker after what it has', stops),
  conformanceCase('continues after a long sleep', sleeps),
  conformanceCase('parks a sleeping run, and wakes it for deadlines and limits', parks, ['durable']),
  conformanceCase('carries answers and cancels between instances', twoInstances, ['processes']),
  conformanceCase('shares the load between instances', shareTheLoad, ['processes']),
  conformanceCase('takes over the runs of an instance that is gone', takesOver, ['processes']),
];
