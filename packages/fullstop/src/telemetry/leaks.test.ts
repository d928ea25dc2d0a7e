import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { randomFaults } from '../testing/fault-plan.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { instrument } from './instrument.js';
import { observed } from './providers.fixture.js';
import { named, searching } from './searching.fixture.js';

describe('no span is leaked', () => {
  it('whatever fails, crashes or is taken away', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
        const seen = observed();
        const { flow, engine } = searching();
        const faults = randomFaults(seed, {
          count: 3,
          within: 12,
          points: ['append', 'flush', 'conclude'],
          effects: ['crash', 'crash_after', 'fail', 'fail_after', 'fence'],
        });
        const faulty = faultyEngine(engine, faults);
        const execute: typeof flow.execute = (session) => flow.execute(session, faulty);
        // Telemetry stands outside: it sees what the faulty store does to its sessions.
        const outside = instrument(faulty, seen.telemetry);
        await outside.start({ runId: 'r', name: flow.name, version: flow.version });
        let wasLost = false;
        for (;;) {
          const session = await outside.claim('r', 'worker');
          if (session === undefined) break;
          const left = execute(session, faulty).then(() => true);
          const isLeft = await Promise.race([left, faulty.lost('r').then(() => false)]);
          // Only who died without a word leaves spans behind, and only until the next owner comes.
          if (isLeft) expect(seen.openSpans()).toEqual([]);
          wasLost = !isLeft;
        }
        // Nobody comes behind an owner that died with its last word.
        if (wasLost) seen.telemetry.shutdown();
        expect(seen.openSpans()).toEqual([]);
        expect(seen.endedTwice()).toBe(0);
        const active = await seen.points('fullstop.run.active');
        expect(active.every(({ value }) => value === 0)).toBe(true);
        await expectNothingTwice(engine, seen);
      }),
      { numRuns: 80 },
    );
  }, 60_000);
});

/** Whoever takes a run over tells of what it adds. What the last owner had no time to tell is lost, but nothing is told twice. */
async function expectNothingTwice(engine: Engine, seen: ReturnType<typeof observed>): Promise<void> {
  const journal = await engine.journal('r');
  const total = async (name: string): Promise<number> =>
    (await seen.points(name)).reduce((sum, { value }) => sum + value, 0);
  const ended = journal.filter(({ type, key }) => type === 'unit_ended' && key !== 'work').length;
  const tokens = journal.reduce((sum, { type, data }) => {
    const charge = type === 'step_ended' ? data.charge : undefined;
    return sum + (charge?.inputTokens ?? 0) + (charge?.outputTokens ?? 0);
  }, 0);
  expect(await total('pipeline.stage.completed')).toBeLessThanOrEqual(ended);
  expect(await total('pipeline.stage.tokens')).toBeLessThanOrEqual(tokens);
  expect(await total('fullstop.run.started')).toBeLessThanOrEqual(1);
  expect(await total('fullstop.run.ended')).toBeLessThanOrEqual(
    journal.filter(({ type }) => type === 'segment_ended').length,
  );
  const models = seen.spans().filter(({ name }) => name === 'fullstop.model').length;
  expect(models).toBeLessThanOrEqual(journal.filter(({ key }) => key?.startsWith('model:')).length);
}

describe('an owner that leaves its run', () => {
  it.each([
    ['not_persisted', { point: 'conclude', effect: 'fail' }],
    ['fenced', { point: 'conclude', effect: 'fence' }],
  ] as const)('ends its spans at once and says why: %s', async (left, fault) => {
    const seen = observed();
    const { flow, engine } = searching();
    const faulty = faultyEngine(engine, [fault]);
    const outside = instrument(faulty, seen.telemetry);
    await outside.start({ runId: 'r', name: flow.name, version: flow.version });
    const session = await outside.claim('r', 'worker');
    if (session === undefined) throw new Error('nobody else has it');
    await Promise.race([flow.execute(session, faulty), faulty.lost('r')]);
    expect(seen.openSpans()).toEqual([]);
    expect(named(seen.spans(), 'fullstop.run').attributes['fullstop.left']).toBe(left);
  });

  it('ends them too when it parks the run', async () => {
    const seen = observed();
    const engine = memoryEngine({ clock: simulatedClock() });
    const session = await parkedSession(engine, seen.telemetry);
    await session.park(1e9);
    expect(seen.openSpans()).toEqual([]);
    expect(named(seen.spans(), 'fullstop.run').attributes['fullstop.left']).toBe('parked');
  });
});

async function parkedSession(
  engine: ReturnType<typeof memoryEngine>,
  telemetry: ReturnType<typeof observed>['telemetry'],
) {
  const outside = instrument(engine, telemetry);
  await outside.start({ runId: 'r', name: 'flow', version: '1' });
  const session = await outside.claim('r', 'worker');
  if (session === undefined) throw new Error('nobody else has it');
  return session;
}
