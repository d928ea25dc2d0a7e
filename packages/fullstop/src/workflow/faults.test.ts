import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { checkJournal } from '../testing/check-journal.js';
import { type Fault, randomFaults } from '../testing/fault-plan.js';
import { type FaultyEngine, faultyEngine } from '../testing/faulty-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { workflowFrom } from './workflow.fixture.js';
import type { Workflow, WorkflowResult } from './workflow.js';

const text = `
workflow: {name: w, entry_point: a, hooks: {on_start: "on", on_error: "{{ error.type }}", on_complete: "off"}}
agents:
  - {name: a, type: set, values: {list: "[1, 2, 3]"}, routes: [{to: each}]}
  - {name: pause, type: wait, duration: 2s, routes: [{to: sub}]}
  - {name: sub, type: workflow, workflow: child.yaml, routes: [{to: m}]}
  - {name: m, prompt: "say {{ sub.output.v }}", routes: [{to: $end}]}
for_each:
  - {name: each, type: for_each, source: a.output.list, as: x, agent: {name: e, type: set, value: "{{ x + 1 }}"}, routes: [{to: pause}]}
output: {each: "{{ each.outputs | json }}", said: "{{ m.output.result }}"}
`;
const child = `
workflow: {name: c, entry_point: p}
agents:
  - {name: one, type: set, value: "1"}
  - {name: two, type: set, value: "2"}
parallel: [{name: p, agents: [one, two]}]
output: {v: "{{ p.outputs.one + p.outputs.two }}"}
`;
const expected = { each: [2, 3, 4], said: 'three' };

function flow(): Workflow {
  const model = scriptedModel([{ text: 'three' }], { exhausted: 'repeat-last' });
  return workflowFrom(text, { model, files: { 'child.yaml': child } });
}

function engineWith(faults: readonly Fault[]): FaultyEngine {
  return faultyEngine(memoryEngine({ clock: simulatedClock() }), faults);
}

/** Runs it. Whenever nobody has it, somebody claims it until it has an ending, as workers do. */
async function finish(engine: FaultyEngine, workflow: Workflow): Promise<WorkflowResult> {
  const running = workflow.run({}, { engine, runId: 'r' });
  for (let turn = 0; turn < 300; turn += 1) {
    const first = await Promise.race([running, aMoment()]);
    if (first !== undefined) return first;
    const session = await persistent(() => engine.claim('r', `owner ${turn}`));
    if (session !== undefined) await Promise.race([workflow.execute(session, engine), engine.lost('r')]);
    // An ending that could not be written parks the run for a while: somebody has to wait, or no time passes.
    else await Promise.race([engine.waitUntilReady('r'), aMoment()]);
    const result = await persistent(() => workflow.result('r', { engine }));
    if (result !== undefined) return result;
  }
  throw new Error('the run comes to no end');
}

function aMoment(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), 3);
  });
}

/** Each fault strikes once, so a call that failed is worth repeating. */
async function persistent<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

describe('a workflow on an engine that fails', () => {
  it('never rejects: it has its one ending, or says that it could not be persisted', async () => {
    const seen = { stored: 0, struck: 0 };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
        const points = ['append', 'flush', 'conclude', 'park', 'ending', 'journal', 'claim'] as const;
        const effects = ['fail', 'fail_after', 'delay', 'crash', 'crash_after', 'fence'] as const;
        const engine = engineWith(randomFaults(seed, { count: 3, points, effects }));
        const result = await finish(engine, flow());
        seen.struck += engine.struck.length;
        expect(typeof result.termination.kind).toBe('string');
        if (!result.persisted) return;
        seen.stored += 1;
        await persistent(() => checkJournal(engine, 'r'));
        const stored = (await persistent(() => engine.journal('r'))).filter(({ type }) => type === 'segment_ended');
        expect(stored).toHaveLength(1);
        if (result.termination.kind === 'flow_completed') expect(result.output).toEqual(expected);
      }),
      // The run is lost, then neither its ending can be kept nor can it be let go.
      { numRuns: 150, examples: [[380_848]] },
    );
    expect(seen.struck).toBeGreaterThan(100);
    expect(seen.stored).toBeGreaterThan(50);
  }, 300_000);

  it('says so when its ending cannot be written', async () => {
    const faults = Array.from({ length: 20 }, (): Fault => ({ point: 'conclude', effect: 'fail' }));
    const result = await flow().run({}, { engine: engineWith(faults) });
    expect(result).toMatchObject({ persisted: false, termination: { kind: 'flow_completed' }, output: expected });
  });

  it('has its result although its journal cannot be read afterwards', async () => {
    const faults = Array.from({ length: 20 }, (): Fault => ({ point: 'journal', effect: 'fail' }));
    const result = await flow().run({}, { engine: engineWith(faults) });
    expect(result).toMatchObject({ persisted: true, output: expected, history: ['a', 'each', 'pause', 'sub', 'm'] });
  });
});
