import { end } from '../../run/ending/body-result.js';
import type { RunContext } from '../../run/run-context.js';
import type { JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

async function inline(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define({
    name: 'parent',
    run: async (context) => {
      const kinds: string[] = [];
      for (let index = 0; index < 2; index += 1) {
        const { termination, output } = await context.child('kid', async (kid) => {
          await kid.step('work', world.effect(`work in ${kid.scope}`, index));
          return end(terminations.submitted({ tool: `kid ${index}` }), { index });
        });
        kinds.push(`${termination.kind} ${JSON.stringify(output)}`);
      }
      const thrown = await context.child('bad', async () => Promise.reject(new TypeError('oops')));
      return end(terminations.naturalEnd(), { kinds, thrown: thrown.termination as unknown as JsonValue });
    },
  });
  const result = await run.run(undefined, { engine, runId: 'parent' });
  const { kinds, thrown } = result.output as { kinds: string[]; thrown: { kind: string; origin: string } };
  checkEqual(kinds, ['submitted {"index":0}', 'submitted {"index":1}'], 'what the parent sees');
  checkEqual([thrown.kind, thrown.origin], ['failed', 'body'], 'the ending of a body that threw');
  checkEqual(world.done, ['work in kid', 'work in kid#2'], 'the scopes of two visits');
  const endings = (await world.journal('parent')).filter((entry) => entry.type === 'unit_ended');
  checkEqual(
    endings.map(({ data }) => data.termination.kind),
    ['submitted', 'submitted', 'failed'],
    'the endings in the journal',
  );
}

async function childFailed(world: World): Promise<void> {
  const { engine } = world;
  let broken = true;
  const run = world.define({
    name: 'composite',
    run: async (context) => {
      const units = await Promise.all(
        ['good', 'bad'].map(async (name) => {
          const { termination } = await context.child(name, async (unit) => {
            await unit.step('first', world.effect(`${name} first`, 1));
            await unit.step('second', () => {
              if (name === 'bad' && broken) throw Object.assign(new Error('down'), { code: 'ECONNRESET' });
              world.done.push(`${name} second`);
            });
            return terminations.naturalEnd();
          });
          return { name, termination };
        }),
      );
      const failed = units.find(({ termination }) => termination.kind === 'failed');
      if (failed !== undefined) {
        await context.step('clean up', world.effect('clean up', 1));
        return terminations.childFailed({
          child: { name: failed.name, path: failed.name },
          termination: failed.termination,
        });
      }
      await context.step('report', world.effect('report', 1));
      return terminations.flowCompleted({ last: 'report' });
    },
  });
  const first = await run.run(undefined, { engine, runId: 'composite' });
  const { child, termination } = checkKind(first.termination, 'child_failed');
  checkEqual([child.path, termination.kind, first.category], ['bad', 'failed', 'retryable'], 'the ending');
  broken = false;
  const second = await run.resume('composite', { engine });
  checkKind(second.termination, 'flow_completed');
  const expected = ['good first', 'bad first', 'good second', 'clean up', 'bad second', 'report'];
  checkEqual([...world.done].sort(), [...expected].sort(), 'the effects: finished units stay, the other continues');
  await world.restart();
  checkEqual(
    (await run.run(undefined, { engine: world.engine, runId: 'composite' })).termination,
    second.termination,
    'the ending after a restart',
  );
}

/** A unit that ended for good starts anew, in a scope of its own; what its parent did after it is a dead branch. */
async function terminatedAgain(world: World): Promise<void> {
  let attempt = 0;
  const run = world.define({
    name: 'again',
    run: async (context) => {
      const { termination } = await context.child('unit', async (unit) => {
        await unit.step('work', world.effect(`work in ${unit.scope}`, 1));
        await unit.step('judge', () => {
          attempt += 1;
        });
        const status = attempt === 1 ? 'failed' : 'success';
        return terminations.terminated({ status, reason: 'judged', by: 'unit' });
      });
      const id = context.uuid();
      await context.child('after', async (unit) => {
        await unit.step('note', world.effect(`note in ${unit.scope}`, 1));
        return terminations.naturalEnd();
      });
      if (attempt === 1) return terminations.childFailed({ child: { name: 'unit', path: 'unit' }, termination });
      await context.step('report', world.effect('report', 1));
      return end(terminations.flowCompleted({ last: 'report' }), { id });
    },
  });
  const first = await run.run(undefined, { engine: world.engine, runId: 'again' });
  checkKind(first.termination, 'child_failed');
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 4 });
  await engine.reopen({ runId: 'again', after: 1, because: 'resume' });
  await executeUntilLost(engine, run, 'again');
  await executeUntilLost(engine, run, 'again');
  checkKind(checkPresent(await engine.ending('again'), 'the ending').termination, 'flow_completed');
  const expected = ['work in unit', 'note in after', 'work in unit~2', 'note in after#2', 'report', 'report'];
  checkEqual(world.done, expected, 'the effects');
}

async function bubbles(world: World): Promise<void> {
  const { engine } = world;
  const ask = (unit: RunContext, id: string): Promise<unknown> => unit.wait({ id, type: 'approval' });
  const run = world.define({
    name: 'bubbling',
    run: async (context) => {
      await Promise.all([
        context.child('a', async (a) => {
          await a.child('b', async (b) => {
            await ask(b, 'deep');
            await b.step('deep', world.effect('deep', 1));
            return terminations.naturalEnd();
          });
          return terminations.naturalEnd();
        }),
        context.child('c', async (c) => {
          await c.step('work', world.effect('work', 1));
          await ask(c, 'flat');
          return terminations.naturalEnd();
        }),
        ask(context, 'own'),
      ]);
      return terminations.flowCompleted({ last: 'all' });
    },
  });
  const paused = await run.run(undefined, { engine, runId: 'bubbling' });
  const { requests } = checkKind(paused.termination, 'interaction_pending');
  const paths = Object.fromEntries(requests.map(({ id, path }) => [id, path]));
  checkEqual(paths, { deep: 'a/b', flat: 'c', own: '' }, 'the requests with their paths');
  const answers = {
    deep: { decision: 'approve' },
    flat: { decision: 'approve' },
    own: { decision: 'approve' },
  } as const;
  const result = await run.resume('bubbling', { engine, answers });
  checkKind(result.termination, 'flow_completed');
  checkEqual(world.done, ['work', 'deep'], 'the effects');
}

/** A body that comes back while a unit still runs stops that unit; it is not left without an ending. */
async function leftRunning(world: World): Promise<void> {
  const run = world.define({
    name: 'hasty',
    run: async (context) => {
      void context.child('slow', async (unit) => {
        await unit.sleep('long', 1e6);
        return terminations.naturalEnd();
      });
      await context.step('quick', world.effect('quick', 1));
      return terminations.flowCompleted({ last: 'quick' });
    },
  });
  const result = await run.run(undefined, { engine: world.engine, runId: 'hasty' });
  const [ending] = (await world.journal('hasty')).filter((entry) => entry.type === 'unit_ended');
  checkEqual(
    ending?.data.termination,
    { kind: 'cancelled', by: 'parent', cause: result.termination },
    'the ending of the unit',
  );
}

async function spawned(world: World): Promise<void> {
  const kid = world.define<{ readonly n: number }>({
    name: 'kid',
    run: async (context, { n }) => {
      await context.step('double', world.effect(`double ${n}`, 2 * n));
      return end(terminations.submitted({ tool: 'double' }), { double: 2 * n });
    },
  });
  const parent = world.define({
    name: 'spawning',
    run: async (context) => {
      const runs = [await context.spawn(kid, { n: 1 }), await context.spawn(kid, { n: 2 }, { runId: 'named' })];
      const endings = await Promise.all(runs.map((run) => run.ending()));
      return end(
        terminations.naturalEnd(),
        endings.map(({ termination, output, runId }) => [termination.kind, output ?? null, runId]),
      );
    },
  });
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', runId: 'spawning', nth: 2 });
  await startOnly(engine, parent, 'spawning');
  await executeUntilLost(engine, parent, 'spawning');
  await executeUntilLost(engine, parent, 'spawning');
  const ending = checkPresent(await engine.ending('spawning'), 'the ending');
  const output = ending.output as [string, { double: number }, string][];
  checkEqual(
    output.map(([kind, { double }]) => [kind, double]),
    [
      ['submitted', 2],
      ['submitted', 4],
    ],
    'the endings of the spawned',
  );
  checkEqual(output[1]?.[2], 'named', 'the id that was asked for');
  const { runs } = await engine.list({ name: 'kid' });
  checkEqual(runs.length, 2, 'the runs that were spawned');
  check(
    runs.every(({ parent: by }) => by?.runId === 'spawning'),
    'every spawned run knows its parent',
  );
  checkEqual([...world.done].sort(), ['double 1', 'double 2'], 'the effects');
}

export const childCases: readonly ConformanceCase[] = [
  conformanceCase('runs units inline, each visit with a scope and an ending of its own', inline),
  conformanceCase('resumes the unit that failed and lets finished ones stand', childFailed),
  conformanceCase('runs a unit that ended for good as a new attempt, and forgets the branch after it', terminatedAgain),
  conformanceCase('lets pauses bubble up with their paths', bubbles),
  conformanceCase('stops units that a body left running', leftRunning),
  conformanceCase('spawns runs once and returns their endings', spawned),
];
