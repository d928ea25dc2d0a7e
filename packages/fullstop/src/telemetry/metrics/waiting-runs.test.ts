import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { approve } from '../../agent/options/directive.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { openEngine } from '../../engines/sqlite/engine.fixture.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { instrument } from '../instrument.js';
import { observed } from '../providers.fixture.js';

const day = 86_400_000;

function sender() {
  return defineAgent({
    name: 'sender',
    model: scriptedModel([{ toolCalls: [{ tool: 'send', input: {}, id: 'c1' }] }, { text: 'sent' }]),
    tools: { send: requireApproval({ execute: () => 'ok' }) },
  });
}

const asking = defineRun({
  name: 'asking',
  run: async (context) => {
    await context.wait({ id: 'q', type: 'input' });
    return terminations.naturalEnd();
  },
});

describe('runs that wait for a person', () => {
  it('are reported with their age, whatever it is, also by a process that was not there when they began to', async () => {
    const clock = simulatedClock();
    const engine = memoryEngine({ clock });
    const [first, second] = [sender(), sender()];
    await first.run('go', { engine, runId: 'old' });
    await clock.sleep(9 * day);
    await second.run('go', { engine, runId: 'new' });
    await clock.sleep(60_000);

    const restarted = observed();
    const followed = instrument(engine, restarted.telemetry);
    expect(await restarted.points('fullstop.run.waiting')).toEqual([{ name: 'sender', value: 2 }]);
    expect(await restarted.points('fullstop.run.waiting.age')).toEqual([{ name: 'sender', value: 9 * 86_400 + 60 }]);

    await first.resume('old', { engine: followed, answers: { c1: approve() } });
    expect(await restarted.points('fullstop.run.waiting')).toEqual([{ name: 'sender', value: 1 }]);
    expect(await restarted.points('fullstop.run.waiting.age')).toEqual([{ name: 'sender', value: 60 }]);

    await second.resume('new', { engine: followed, answers: { c1: approve() } });
    expect(await restarted.points('fullstop.run.waiting')).toEqual([{ name: 'sender', value: 0 }]);
    expect(await restarted.points('fullstop.run.waiting.age')).toEqual([{ name: 'sender', value: 0 }]);
    expect(await restarted.units()).toMatchObject({ 'fullstop.run.waiting': '{run}', 'fullstop.run.waiting.age': 's' });
  });

  it('are reported alike by every process that has the store, and not counted twice by one', async () => {
    const engine = openEngine();
    const [first, second] = [observed(), observed()];
    const followed = instrument(engine, first.telemetry);
    instrument(engine, first.telemetry);
    await asking.run(undefined, { engine: followed });
    instrument(engine, second.telemetry);
    for (const seen of [first, second])
      expect(await seen.points('fullstop.run.waiting')).toEqual([{ name: 'asking', value: 1 }]);
  });

  it('are all found, however many they are, under a bounded number of names', async () => {
    const clock = simulatedClock();
    const engine = memoryEngine({ clock });
    for (let index = 0; index < 1100; index += 1) {
      const run = { ...asking, name: index === 0 ? 'first' : `n${index % 5}` };
      await engine.start({ runId: `r${index}`, name: run.name, version: '1' });
      const session = await engine.claim(`r${index}`, 'w');
      if (session !== undefined) await asking.execute(session, engine);
      if (index === 0) await clock.sleep(day);
    }
    const seen = observed({ mostSeries: 3 });
    instrument(engine, seen.telemetry);
    const counts = await seen.points('fullstop.run.waiting');
    expect(counts.reduce((sum, { value }) => sum + value, 0)).toBe(1100);
    expect(counts.map(({ name }) => name)).toContain('other');
    expect(counts.length).toBe(4);
    const ages = await seen.points('fullstop.run.waiting.age');
    expect(Math.max(...ages.map(({ value }) => value))).toBe(86_400);
  });

  it('say nothing where a store does not answer, and the others still do', async () => {
    const seen = observed();
    const [broken, engine] = [memoryEngine(), memoryEngine()];
    instrument({ ...broken, list: () => Promise.reject(new Error('closed')) }, seen.telemetry);
    await asking.run(undefined, { engine: instrument(engine, seen.telemetry) });
    expect(await seen.points('fullstop.run.waiting')).toEqual([{ name: 'asking', value: 1 }]);
  });
});
