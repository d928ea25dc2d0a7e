import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { JsonObject } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { drive } from './drive.js';
import type { Machine, MachineDecision, MachineObservation } from './machine.js';

interface Plan {
  readonly add: number;
}

interface State {
  readonly rounds: number;
  readonly total: number;
  readonly approved: boolean;
  readonly asked: boolean;
  readonly log: readonly string[];
}

/** Adds 1 + 2 + 3 in parallel for some rounds, asks for approval in the first and ends when both are done. */
function adder(rounds: number): Machine<State, Plan, undefined> {
  return {
    init: () => ({ rounds: 0, total: 0, approved: false, asked: false, log: [] }),
    decide(state): MachineDecision<Plan> {
      if (state.rounds === rounds && state.approved) {
        return {
          type: 'end',
          termination: terminations.flowCompleted({ last: 'add' }),
          output: { total: state.total, log: state.log },
        };
      }
      if (state.rounds === rounds) return { type: 'wait' };
      const steps = [1, 2, 3].map(
        (add) => ({ type: 'step', key: `add-${state.rounds}-${add}`, plan: { add } }) as const,
      );
      const ask = { type: 'request', key: 'ask', request: { id: 'ok', type: 'approval' } } as const;
      return { type: 'perform', effects: state.rounds === 0 ? [ask, ...steps] : steps, concurrency: 2 };
    },
    apply(state, observation: MachineObservation) {
      const log = [...state.log, observation.key];
      if (observation.type === 'answer') return { ...state, log, approved: observation.answer.decision === 'approve' };
      if (observation.type !== 'value') return { ...state, log };
      const total = state.total + (observation.value as number);
      return { ...state, log, total, rounds: observation.key.endsWith('-3') ? state.rounds + 1 : state.rounds };
    },
    observe: (state): JsonObject => ({ point: 'after_round', total: state.total }),
  };
}

function adderRun(rounds: number, performed: string[], delays: readonly number[] = []) {
  return defineRun({
    name: 'adder',
    run: (context, _input: undefined) =>
      drive({
        machine: adder(rounds),
        performer: {
          step: async ({ add }: Plan, { idempotencyKey }) => {
            performed.push(idempotencyKey);
            await new Promise((resolve) => setTimeout(resolve, delays[performed.length % delays.length] ?? 0));
            return add;
          },
        },
        context,
        input: undefined,
      }),
  });
}

describe('drive', () => {
  it('pauses when everything waits, and continues with the answer without repeating a step', async () => {
    const performed: string[] = [];
    const run = adderRun(3, performed);
    const paused = await run.run(undefined);
    expect(paused.termination).toEqual({
      kind: 'interaction_pending',
      requests: [{ id: 'ok', path: '', type: 'approval' }],
    });
    const ended = await paused.resume({ answers: { ok: { decision: 'approve' } } });
    expect(ended.termination).toEqual({ kind: 'flow_completed', last: 'add' });
    expect((ended.output as unknown as { total: number }).total).toBe(18);
    expect(performed).toHaveLength(9);
    expect(new Set(performed).size).toBe(9);
  });

  it('applies the results of a batch in the order it was started, whatever order they end in', async () => {
    const paused = await adderRun(1, [], [30, 1, 15]).run(undefined);
    const ended = await paused.resume({ answers: { ok: { decision: 'approve' } } });
    expect((ended.output as unknown as { log: string[] }).log).toEqual(['add-0-1', 'add-0-2', 'add-0-3', 'ask']);
  });

  it('reaches the same ending when it is dropped and replayed after every step', async () => {
    const performed: string[] = [];
    const engine = memoryEngine();
    const run = adderRun(4, performed, [3, 1, 2]);
    const paused = await run.run(undefined, { engine, alwaysReplay: true });
    const ended = await run.resume(paused.runId, {
      engine,
      alwaysReplay: true,
      answers: { ok: { decision: 'approve' } },
    });
    expect((ended.output as unknown as { total: number }).total).toBe(24);
    expect(new Set(performed).size).toBe(performed.length);
  });

  it('folds an answer in where the journal has it, on replay as in the first run', async () => {
    const engine = memoryEngine();
    const run = adderRun(3, [], [20]);
    const running = run.run(undefined, { engine, runId: 'early', alwaysReplay: true });
    await expect.poll(async () => (await engine.openRequests('early')).length).toBe(1);
    await engine.answer('early', 'ok', { decision: 'approve' });
    const ended = await running;
    expect(ended.termination.kind).toBe('flow_completed');
    const { log } = ended.output as unknown as { log: string[] };
    expect(log).toHaveLength(10);
    const again = await run.result('early', { engine });
    expect(again?.termination).toEqual(ended.termination);
  });

  it('writes an observation at every evaluation point', async () => {
    const paused = await adderRun(2, []).run(undefined);
    const entries = await paused.journal();
    expect(entries.flatMap((entry) => (entry.type === 'observed' ? [entry.data] : []))).toEqual([
      { point: 'after_round', total: 6 },
      { point: 'after_round', total: 12 },
    ]);
  });

  it('fails with a clear message when a machine would wait for ever', async () => {
    const run = defineRun({
      name: 'stuck',
      run: (context, _input: undefined) =>
        drive({
          machine: { init: () => 0, decide: () => ({ type: 'wait' }), apply: (state) => state },
          performer: {},
          context,
          input: undefined,
        }),
    });
    const { termination } = await run.run(undefined);
    expect(termination).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('would wait for ever') },
    });
  });
});
