import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import { activeTimes } from './active-timeline.js';

describe('activeTimes', () => {
  test('agrees with the ending of every segment, through a wait that expired long before anyone noticed', async () => {
    const clock = simulatedClock();
    const engine = memoryEngine({ clock });
    const run = defineRun({
      name: 'asking',
      run: async (context) => {
        await context.step('before', () => clock.sleep(3000));
        await context.wait({ id: 'ok', type: 'gate', deadline: context.now() + 1000, onExpiry: 'approve' });
        await context.step('after', () => clock.sleep(2000));
        return terminations.naturalEnd();
      },
    });
    await run.run(undefined, { engine, runId: 'r' });
    await clock.advance(3_600_000);
    const result = await run.resume('r', { engine });
    const journal = await engine.journal('r');
    const activeAt = activeTimes(journal);
    expect([result.termination.kind, result.durationMs]).toEqual(['natural_end', 5000]);
    const ended = journal.filter(({ type }) => type === 'segment_ended');
    expect(ended.map(({ at }) => activeAt(at))).toEqual([3000, 5000]);
    // While the question was open nobody worked.
    expect([1_000_000, 2_000_000].map((later) => activeAt((ended[0]?.at ?? 0) + later))).toEqual([3000, 3000]);
  });

  test('is 0 for a journal without entries', () => {
    expect(activeTimes([])(5)).toBe(0);
  });
});
