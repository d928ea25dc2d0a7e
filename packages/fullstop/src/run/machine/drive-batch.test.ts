import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import type { RunContext, UnitResult } from '../run-context.js';
import { drive } from './drive.js';
import type { Machine } from './machine.js';

interface State {
  readonly done: readonly string[];
}

/** Runs units one at a time and ends when all are through. */
function oneAtATime(names: readonly string[], timeMs?: number): Machine<State, string, undefined> {
  return {
    init: () => ({ done: [] }),
    decide: ({ done }) => {
      if (done.length === names.length)
        return { type: 'end', termination: terminations.flowCompleted({ last: done.join() }) };
      const limits = timeMs === undefined ? {} : { limits: { timeMs } };
      return {
        type: 'perform',
        concurrency: 1,
        effects: names.map((name) => ({ type: 'unit', key: name, plan: name, ...limits })),
      };
    },
    apply: ({ done }, observation) => ({
      done: [...done, observation.type === 'unit' ? observation.result.termination.kind : 'error'],
    }),
  };
}

function batch(
  machine: Machine<State, string, undefined>,
  unit: (name: string, inner: RunContext) => Promise<UnitResult['termination']>,
) {
  return defineRun({
    name: 'batch',
    run: (context) =>
      drive({
        machine,
        context,
        input: undefined,
        performer: { unit: async (name, inner) => ({ termination: await unit(name, inner), also: [] }) },
      }),
  });
}

describe('a batch with a limit', () => {
  test('lets the next member begin while one waits for a person', async () => {
    const begun: string[] = [];
    const run = batch(oneAtATime(['a', 'b', 'c']), async (name, inner) => {
      begun.push(name);
      await inner.wait({ id: name, type: 'approval' });
      return terminations.naturalEnd();
    });
    const paused = await run.run(undefined);
    expect(begun).toEqual(['a', 'b', 'c']);
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    });
    const answer = { decision: 'approve' } as const;
    const ended = await paused.resume({ answers: { a: answer, b: answer, c: answer } });
    expect(ended.termination).toEqual({ kind: 'flow_completed', last: 'natural_end,natural_end,natural_end' });
  });

  test('lets the next member begin after one that was stopped from outside and never comes back', async () => {
    const run = batch(oneAtATime(['a', 'b'], 100), async (name, inner) => {
      if (name === 'a') await inner.step('hang', () => new Promise(() => undefined));
      return terminations.naturalEnd();
    });
    const result = await run.run(undefined, { engine: memoryEngine({ clock: simulatedClock() }) });
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'time_budget,natural_end' });
  });
});
