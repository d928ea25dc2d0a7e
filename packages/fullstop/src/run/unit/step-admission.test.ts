import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Ending } from '../../termination/ending.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { drive } from '../machine/drive.js';
import type { Machine, SegmentOpening } from '../machine/machine.js';

interface Call {
  readonly tokens: number;
}

interface State {
  readonly next: number;
  readonly seen: readonly string[];
  readonly refusal: Ending | null;
}

/** Asks for 1,000 tokens; when there is no room it asks for 100, or ends with what it was refused for. */
function caller(copes: boolean): Machine<State, Call, undefined> {
  return {
    init: () => ({ next: 1000, seen: [], refusal: null }),
    decide: ({ next, seen, refusal }) => {
      if (refusal !== null) return { type: 'end', termination: refusal };
      if (next === 0) return { type: 'end', termination: terminations.naturalEnd(), output: [...seen] };
      const options = { reserve: { outputTokens: next } };
      return { type: 'perform', effects: [{ type: 'step', key: `call-${next}`, plan: { tokens: next }, options }] };
    },
    apply: (state, observation) => {
      const seen = [...state.seen, `${observation.key}: ${observation.type}`];
      if (observation.type !== 'error') return { ...state, seen, next: 0 };
      return copes ? { ...state, seen, next: 100 } : { ...state, seen, refusal: observation.refusal ?? null };
    },
    resume: (state, _opening: SegmentOpening) => ({ ...state, refusal: null }),
  };
}

function callerRun(copes: boolean, performed: number[]) {
  return defineRun({
    name: 'caller',
    limits: { tokens: 350 },
    run: (context, _input: undefined) =>
      drive({
        machine: caller(copes),
        performer: {
          step: ({ tokens }: Call, { charge }) => {
            performed.push(tokens);
            charge({ outputTokens: tokens, costUsd: 0 });
          },
        },
        context,
        input: undefined,
      }),
  });
}

describe.each([false, true])('a reservation that a machine is refused (always replayed: %s)', (alwaysReplay) => {
  it('is an observation that it may cope with', async () => {
    const performed: number[] = [];
    const result = await callerRun(true, performed).run(undefined, { engine: memoryEngine(), alwaysReplay });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.output).toEqual(['call-1000: error', 'call-100: value']);
    expect(performed).toEqual([100]);
  });

  it('is the ending that it may reach, and is performed once the limit has room', async () => {
    const performed: number[] = [];
    const run = callerRun(false, performed);
    const engine = memoryEngine();
    const refused = await run.run(undefined, { engine, runId: 'r', alwaysReplay });
    expect(refused.termination).toEqual({ kind: 'token_budget', limit: 350, used: 0 });
    expect(performed).toEqual([]);
    await expect(run.resume('r', { engine, limits: { tokens: 300 } })).rejects.toMatchObject({
      code: 'LIMIT_UNCHANGED',
    });
    const raised = await run.resume('r', { engine, limits: { tokens: 5000 }, alwaysReplay });
    expect(raised.termination).toEqual({ kind: 'natural_end' });
    expect(performed).toEqual([1000]);
  });
});
