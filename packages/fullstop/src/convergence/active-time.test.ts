import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { RunnableDefinition } from '../engines/port/engine.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { suggestor } from './options/suggestor.js';

const hour = 3_600_000;

describe('the active time of a convergence', () => {
  it('leaves out the time between the death of one owner and the next', async () => {
    const clock = simulatedClock();
    const slow = suggestor('slow', {
      execute: async ({ cycle, propose }) => {
        await clock.sleep(2000);
        if (cycle < 3) propose('round', { cycle }, { id: `${cycle}` });
      },
    });
    const convergence = defineConvergence({ name: 'c', suggestors: [slow], budgets: { time: '10s' } });
    const crash = { point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 } as const;
    const engine = faultyEngine(memoryEngine({ clock }), [crash]);
    await engine.start({ runId: 'r', name: convergence.name, version: convergence.version, input: {} });
    for (let owner = 1; owner <= 2; owner += 1) {
      const session = await engine.claim('r', `worker ${owner}`);
      if (session === undefined) throw new Error('the run is over');
      await Promise.race([(convergence as unknown as RunnableDefinition).execute(session, engine), engine.lost('r')]);
      await clock.advance(hour);
    }
    const result = await convergence.result('r', { engine });
    expect([result?.termination.kind, result?.durationMs]).toEqual(['converged', 6000]);
    expect(engine.struck).toEqual([crash]);
  });
});
