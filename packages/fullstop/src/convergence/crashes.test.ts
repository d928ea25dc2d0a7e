import { describe, expect, it } from 'vitest';
import { approve } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { gate } from './options/gate.js';
import { semantic } from './options/invariant.js';
import { suggestor } from './options/suggestor.js';

/** Inputs, two suggestors, a rejection, a repaired violation and a gate. */
function purchase() {
  const pricer = suggestor('pricer', {
    dependsOn: ['line'],
    execute: ({ facts, propose, rejections }) => {
      for (const { id } of facts.get('line')) propose('price', { line: id, usd: 500 }, { id });
      if (rejections.length === 0) propose('price', { line: 'none', usd: 1 }, { id: 'not allowed' });
    },
  });
  const cheaper = suggestor('cheaper', {
    dependsOn: ['violation'],
    execute: ({ propose }) => propose('discount', { percent: 50 }, { id: 'd' }),
  });
  const closer = suggestor('closer', {
    dependsOn: ['price', 'discount'],
    accepts: ({ facts }) => facts.has('discount'),
    execute: ({ propose }) => propose('decision', { ok: true }, { id: 'final' }),
  });
  return defineConvergence({
    suggestors: [pricer, cheaper, closer],
    invariants: [
      semantic('fair', (facts) => !facts.has('price') || facts.has('discount') || 'too expensive', { repairs: 1 }),
    ],
    gates: [gate({ key: 'decision' })],
  });
}

const input = { facts: [fact('line', { n: 1 }, { id: 'one' }), fact('line', { n: 2 }, { id: 'two' })] };
const gateId = 'decision/final@3';

/** Settles when a run has ended, or its owner is dead after a fault: then nobody brings it to its end. */
async function endedOrDead(engine: ReturnType<typeof faultyEngine>, run: Promise<unknown>): Promise<void> {
  let isOver = false;
  const running = run
    .catch(() => undefined)
    .then(() => {
      isOver = true;
    });
  while (!isOver && engine.struck.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await Promise.race([running, engine.lost('r')]);
}

describe('a convergence whose process dies', () => {
  it('reaches the same facts, root and ending from every entry of its journal', async () => {
    const source = memoryEngine({ clock: simulatedClock() });
    const convergence = purchase();
    const paused = await convergence.run(input, { engine: source, runId: 'r' });
    expect(paused.termination).toMatchObject({ kind: 'gate_pending', gates: [{ gateId }] });
    const whole = await paused.resume({ answers: { [gateId]: approve({ by: 'maria' }) } });
    expect(whole.termination.kind).toBe('converged');
    const journal = await source.journal('r');
    const ends = journal.flatMap(({ type, seq }) => (type === 'segment_ended' ? [seq] : []));
    for (let length = 1; length < journal.length; length += 1) {
      const engine = memoryEngine({ clock: simulatedClock() });
      await engine.importRun(JSON.parse(JSON.stringify(journal.slice(0, length))) as JournalEntry[]);
      const inFirst = length <= (ends[0] ?? 0);
      let result =
        inFirst && length === ends[0]
          ? await convergence.result('r', { engine })
          : await convergence.resume('r', { engine });
      if (result?.termination.kind === 'gate_pending') {
        expect(result.facts.all()).toEqual(paused.facts.all());
        expect(result.facts.has('decision')).toBe(false);
        const open = await engine.openRequests('r');
        expect(open.map(({ id }) => id)).toEqual([gateId]);
        result = await convergence.resume('r', { engine, answers: { [gateId]: approve({ by: 'maria' }) } });
      }
      expect(result?.termination).toEqual(whole.termination);
      expect(result?.facts.all().map(({ approval: _approval, ...rest }) => rest)).toEqual(
        whole.facts.all().map(({ approval: _approval, ...rest }) => rest),
      );
      expect(result?.rejections).toEqual(whole.rejections);
    }
  });

  it('writes one entry for a merge, beside the results of its suggestors', async () => {
    const engine = memoryEngine();
    const result = await purchase().run(input, { engine, runId: 'r' });
    const types = (await engine.journal('r')).map(({ type, key }) => `${type} ${key ?? ''}`.trim());
    expect(types).toEqual([
      'run_started',
      'recorded cycle 0',
      'step_ended 1:pricer',
      'recorded cycle 1',
      'step_ended 2:pricer',
      'step_ended 2:cheaper',
      'recorded cycle 2',
      'step_ended 3:closer',
      'recorded cycle 3',
      `request_opened request:${gateId}`,
      'segment_ended',
    ]);
    expect(result.cycles.map(({ promoted }) => promoted.length)).toEqual([2, 3, 1, 0]);
  });

  it.each(['fail', 'fail_after', 'crash', 'crash_after'] as const)(
    'promotes all of a cycle or nothing when the store has a %s',
    async (effect) => {
      for (const point of ['append', 'flush', 'conclude'] as const) {
        for (let nth = 1; nth <= 12; nth += 1) {
          const inner = memoryEngine();
          const engine = faultyEngine(inner, [{ point, nth, effect }]);
          const convergence = purchase();
          await endedOrDead(engine, convergence.run(input, { engine, runId: 'r' }));
          // What a process that starts afterwards finds.
          const later = memoryEngine();
          await later.importRun(await inner.journal('r'));
          const known = await convergence.result('r', { engine: later });
          const isPaused = known?.termination.kind === 'gate_pending';
          const ended = isPaused ? known : await convergence.resume('r', { engine: later });
          expect(ended.termination.kind).toBe('gate_pending');
          expect(ended.facts.all().map(({ ref }) => ref)).toEqual(factsAtGate);
          if (engine.struck.length === 0) break;
        }
      }
    },
    60_000,
  );
});

const factsAtGate = ['line/one', 'line/two', 'price/one', 'price/two', 'violation/fair.1', 'discount/d'];
