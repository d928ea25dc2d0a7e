import { defineAgent, defineRun, defineTermination, maxIterations, requireApproval, terminations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Place } from './binary.js';

// Code of a user: the program under test never sees it, only the store that it leaves behind.
const overloaded = defineTermination({
  kind: 'app.overloaded',
  schema: z.object({ load: z.number(), queue: z.array(z.string()) }),
  family: 'limit',
  category: 'capacity',
});

const balancer = defineRun({
  name: 'balancer',
  terminations: [overloaded],
  run: async (context) => {
    const load = await context.step('measure', () => 9);
    const shed = await context.child('shed', async () => overloaded({ load, queue: ['inner'] }));
    return context.segment === 1
      ? overloaded({ load, queue: ['a', 'b', shed.termination.kind] })
      : overloaded({ load: 1, queue: [] });
  },
});

const deployer = defineAgent({
  name: 'deployer',
  model: scriptedModel([
    { toolCalls: [{ tool: 'deploy', input: { version: '2.4' }, id: 'call_7' }] },
    { text: 'live' },
  ]),
  tools: {
    deploy: requireApproval({
      description: 'Deploys',
      inputSchema: z.object({ version: z.string() }),
      execute: async () => ({ done: true }),
    }),
  },
  stopWhen: [maxIterations(5)],
});

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.remove());

const open = () => sqliteEngine(place.path('runs.db'));
const store = ['--store', 'runs.db'];

const spawner = defineRun({
  name: 'spawner',
  run: async (context) => {
    await (await context.spawn(balancer, undefined, { runId: 'child-1' })).ending();
    return terminations.flowCompleted({ last: 'child-1' });
  },
});

describe('runs of code that the program never saw', () => {
  it('are shown, filtered and explained with their own kinds', async () => {
    const engine = open();
    await balancer.run(undefined, { engine, runId: 'load-1' });
    await engine.close();
    expect((await place.run(['runs', '--kind', 'app.overloaded', '--ids', ...store])).stdout).toBe('load-1\n');
    expect((await place.run(['runs', '--category', 'capacity', ...store])).stdout).toContain('app.overloaded');
    const { stdout } = await place.run(['why', 'load-1', ...store]);
    expect(stdout).toContain('app.overloaded · capacity · open · balancer · load-1');
    expect(stdout).toContain('load = 9');
    expect(stdout).toContain('queue = ["a","b","app.overloaded"]');
    expect(stdout).toMatch(/shed {2}app\.overloaded/);
    expect((await place.run(['stats', ...store])).stdout).toContain('app.overloaded');
    expect((await place.run(['verify', 'load-1', ...store])).stdout).toContain('consistent');
  });

  it('are opened again, and their own program continues', async () => {
    const engine = open();
    await balancer.run(undefined, { engine, runId: 'load-1' });
    const resumed = await place.run(['resume', 'load-1', '--by', 'maria', ...store]);
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('load-1 is open again (segment 2)'),
    });
    const worker = engine.worker([balancer]);
    const { segment } = await engine.waitForEnding('load-1', 2);
    await worker.stop();
    expect(segment).toBe(2);
    await engine.close();
    expect((await place.run(['events', 'load-1', '--type', 'segment_opened', ...store])).stdout).toContain(
      '"by":"maria"',
    );
  });

  it('are answered, and an agent gets its larger limit', async () => {
    const engine = open();
    await deployer.run('ship', { engine, runId: 'ship-1' });
    const listed = await place.run(['answer', 'ship-1', ...store]);
    expect(listed.stdout).toContain('deploy({"version":"2.4"})');
    const answered = await place.run(['answer', 'ship-1', 'call_7', '--approve', '--by', 'maria', ...store]);
    expect(answered.stderr).toContain('a worker of that program continues it');
    const worker = engine.worker([deployer]);
    const ending = await engine.waitForEnding('ship-1', 2);
    await worker.stop();
    expect(ending.termination).toEqual({ kind: 'natural_end' });
    await engine.close();
  });

  it('are shown below the run that spawned them', async () => {
    const engine = open();
    await spawner.run(undefined, { engine, runId: 'parent-1' });
    await engine.close();
    const { stdout } = await place.run(['runs', '--children', ...store]);
    expect(stdout).toMatch(/parent-1[^\n]*\n[^\n]*└ child-1 +balancer +app\.overloaded/);
  });

  it('cannot be started anew from here, and are said to be so', async () => {
    const engine = open();
    await balancer.run(undefined, { engine, runId: 'load-1' });
    await engine.close();
    const retried = await place.run(['retry', 'load-1', ...store]);
    expect({ code: retried.code, stderr: retried.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('was started by another program'),
    });
  });

  it('supply the result of a tool that is performed outside, and the program of the run continues with it', async () => {
    const location = { inputSchema: z.object({}), outputSchema: z.object({ city: z.string() }) };
    const guide = defineAgent({
      name: 'guide',
      model: scriptedModel([{ toolCalls: [{ tool: 'location', input: {}, id: 'call_1' }] }, { text: 'done' }]),
      tools: { location },
    });
    const before = open();
    await guide.run('where?', { engine: before, runId: 'guide-1' });
    await before.close();
    expect((await place.run(['answer', 'guide-1', ...store])).stdout).toContain(
      'fullstop answer guide-1 call_1 --value-json JSON',
    );
    const answer = (...said: string[]) => place.run(['answer', 'guide-1', ...said, '--no-run', ...store]);
    expect(await answer('--approve')).toMatchObject({ code: 2, stderr: expect.stringContaining('not for approval') });
    const misfit = await answer('--value-json', '{"city":5}');
    expect(misfit).toMatchObject({ code: 2, stderr: expect.stringContaining('value.city is 5, not of type string') });
    expect(await answer('--value-json', '{"city":"Oslo"}')).toMatchObject({ code: 0 });
    const after = open();
    const ended = await guide.resume('guide-1', { engine: after });
    expect(ended.toolCalls).toMatchObject([{ output: { type: 'json', value: { city: 'Oslo' } } }]);
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    await after.close();
  });
});
