import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineConvergence } from '../../convergence/define-convergence.js';
import { suggestor } from '../../convergence/options/suggestor.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine, RunnableDefinition } from '../../engines/port/engine.js';
import { pipeline } from '../../pipeline/pipeline.js';
import type { JsonValue } from '../../termination/json.js';
import { randomFaults } from '../../testing/fault-plan.js';
import { faultyEngine } from '../../testing/faulty-engine.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { loadWorkflow } from '../../workflow/load-workflow.js';
import { instrument } from '../instrument.js';
import { observed } from '../providers.fixture.js';
import { named, searching } from '../searching.fixture.js';

/** The bodies to run; made anew for every round, because scripted models are used up. */
interface Subject {
  readonly definition: RunnableDefinition;
  readonly engine: Engine;
  readonly input?: JsonValue;
}

const subjects: Readonly<Record<string, () => Subject>> = {
  pipeline: () => {
    const { flow, engine } = searching();
    return { definition: flow, engine };
  },
  agent: () => {
    const { agent, engine } = searching();
    return { definition: agent, engine, input: 'go' };
  },
  convergence: () => ({ definition: proposing(), engine: memoryEngine({ clock: simulatedClock() }) }),
  workflow: () => ({
    definition: loadWorkflow('grouped.yaml', { text: grouped }),
    engine: memoryEngine({ clock: simulatedClock() }),
    input: {},
  }),
};

/** Cycles with a unit in one of them, and a suggestor that fails. */
function proposing(): RunnableDefinition {
  const inner = pipeline('inner').stage('only', () => 'x');
  return defineConvergence({
    suggestors: [
      suggestor('first', {
        accepts: ({ facts }) => facts.size === 0,
        execute: ({ propose }) => propose('a', { n: 1 }),
      }),
      suggestor('unit', {
        dependsOn: ['a'],
        use: inner,
        input: () => undefined,
        propose: ({ propose }) => propose('b', {}),
      }),
      suggestor('broken', { dependsOn: ['b'], optional: true, execute: () => Promise.reject(new RangeError('no')) }),
    ],
  });
}

const grouped = `
workflow: {name: grouped, entry_point: list}
agents:
  - {name: list, type: set, values: {items: "{{ [1, 2] }}"}, routes: [{to: both}]}
  - {name: a, type: set, value: "{{ 1 }}"}
  - {name: pause, type: wait, duration: 5s}
  - {name: stop, type: terminate, status: failed, reason: enough}
parallel: [{name: both, agents: [a, pause], routes: [{to: each}]}]
for_each:
  - name: each
    type: for_each
    source: list.output.items
    as: item
    agent: {name: one, type: set, value: "{{ item }}"}
    routes: [{to: stop}]
`;

describe('no span is leaked', () => {
  it.each(Object.entries(subjects))(
    'in a run (%s), whatever fails, crashes or is taken away',
    async (_, make) => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
          const seen = observed();
          const { definition, engine, input } = make();
          const faults = randomFaults(seed, {
            count: 3,
            within: 12,
            points: ['append', 'flush', 'conclude'],
            effects: ['crash', 'crash_after', 'fail', 'fail_after', 'fence'],
          });
          await executeUnder(faultyEngine(engine, faults), seen, definition, input);
          expect(seen.openSpans()).toEqual([]);
          expect(seen.endedTwice()).toBe(0);
          const active = await seen.points('fullstop.run.active');
          expect(active.every(({ value }) => value === 0)).toBe(true);
          await expectNothingTwice(engine, seen);
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );
});

/** Executes a run until nobody may take it up any more. */
async function executeUnder(
  faulty: ReturnType<typeof faultyEngine>,
  seen: ReturnType<typeof observed>,
  definition: RunnableDefinition,
  input: JsonValue | undefined,
): Promise<void> {
  // Telemetry stands outside: it sees what the faulty store does to its sessions.
  const outside = instrument(faulty, seen.telemetry);
  const { name, version } = definition;
  await outside.start({ runId: 'r', name, version, ...(input !== undefined && { input }) });
  let wasLost = false;
  for (;;) {
    const session = await outside.claim('r', 'worker');
    if (session === undefined) break;
    const left = definition.execute(session, faulty).then(() => true);
    const isLeft = await Promise.race([left, faulty.lost('r').then(() => false)]);
    // Only who died without a word leaves spans behind, and only until the next owner comes.
    if (isLeft) expect(seen.openSpans()).toEqual([]);
    wasLost = !isLeft;
  }
  // Nobody comes behind an owner that died with its last word.
  if (wasLost) seen.telemetry.shutdown();
}

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
