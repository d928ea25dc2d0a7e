import { describe, expect, it } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { drive } from '../../run/machine/drive.js';
import type { Machine } from '../../run/machine/machine.js';
import type { JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { rawDatabase, temporaryFile } from './engine.fixture.js';
import { sqliteEngine } from './sqlite-engine.js';

interface Count {
  readonly steps: number;
  readonly asked: boolean;
}

/** Does some steps, asks for approval and ends. */
function counter(steps: number): Machine<Count, number, undefined> {
  return {
    init: () => ({ steps: 0, asked: false }),
    decide: (state) => {
      if (state.steps < steps)
        return { type: 'perform', effects: [{ type: 'step', key: `step ${state.steps}`, plan: state.steps }] };
      if (!state.asked)
        return { type: 'perform', effects: [{ type: 'request', key: 'ask', request: { id: 'ok', type: 'approval' } }] };
      return { type: 'end', termination: terminations.flowCompleted({ last: 'ask' }), output: state.steps };
    },
    apply: (state, { type }) => (type === 'answer' ? { ...state, asked: true } : { ...state, steps: state.steps + 1 }),
    snapshot: { save: (state) => state as unknown as JsonValue, load: (saved) => saved as unknown as Count },
  };
}

function counting(performed: number[], machine: Machine<Count, number, undefined> = counter(95)) {
  return defineRun({
    name: 'counting',
    limits: { steps: 1000 },
    run: (context, input: undefined) =>
      drive({
        machine,
        context,
        input,
        checkpointEvery: 20,
        performer: {
          step: (plan, { charge }) => {
            performed.push(plan);
            charge({ inputTokens: 2, costUsd: 0.5, counters: { calls: 1 } });
            return plan;
          },
        },
      }),
  });
}

const answers = { ok: { decision: 'approve' } } as const;

describe('a run with checkpoints', () => {
  it('is claimed with what stands behind the last one, and goes on with its account', async () => {
    const file = temporaryFile();
    const performed: number[] = [];
    const first = sqliteEngine(file);
    const paused = await counting(performed).run(undefined, { engine: first, runId: 'run' });
    expect(paused.termination.kind).toBe('interaction_pending');
    await first.close();

    const second = sqliteEngine(file);
    await second.answer('run', 'ok', { decision: 'approve' });
    const session = await second.claim('run', 'someone');
    expect(session?.history.map(({ type }) => type)).toEqual([
      'run_started',
      'checkpointed',
      ...Array.from({ length: 15 }, () => 'step_ended'),
      'request_opened',
      'segment_ended',
      'segment_opened',
    ]);
    await session?.park(0);
    await second.close();

    const third = sqliteEngine(file);
    const worker = third.worker([counting(performed)]);
    const ended = await third.waitForEnding('run', 2);
    await worker.stop();
    expect(ended.termination).toEqual({ kind: 'flow_completed', last: 'ask' });
    expect(ended.output).toBe(95);
    expect(ended.usage.inputTokens).toBe(190);
    expect(ended.costUsd).toBe(47.5);
    expect(performed).toHaveLength(95);
    expect(await third.verify('run', ended.headHash)).toMatchObject({ status: 'proved' });
    await third.close();
  });

  it('is claimed whole when its body did something before the machine', async () => {
    const engine = sqliteEngine(temporaryFile());
    const performed: string[] = [];
    const run = defineRun({
      name: 'prepared',
      run: async (context, input: undefined) => {
        await context.step('prepare', () => performed.push('prepare'));
        const step = (plan: number): number => performed.push(`step ${plan}`);
        return drive({ machine: counter(50), performer: { step }, context, input, checkpointEvery: 20 });
      },
    });
    await run.run(undefined, { engine, runId: 'run' });
    const ended = await run.resume('run', { engine, answers });
    expect(ended.termination).toEqual({ kind: 'flow_completed', last: 'ask' });
    expect(performed).toHaveLength(51);
    await engine.close();
  });

  it('is not executed by code that cannot go on from its checkpoint', async () => {
    const file = temporaryFile();
    const performed: number[] = [];
    const engine = sqliteEngine(file);
    await counting(performed).run(undefined, { engine, runId: 'run' });
    const { snapshot: _snapshot, ...machine } = counter(95);
    const resumed = await counting(performed, machine).resume('run', { engine, answers });
    expect(resumed.termination).toMatchObject({ kind: 'failed', error: { code: 'REPLAY_MISMATCH' } });
    expect(performed).toHaveLength(95);
    const again = await counting(performed).resume('run', { engine });
    expect(again.termination.kind).toBe('flow_completed');
    expect(performed).toHaveLength(95);
    await engine.close();
  });

  it('is refused when an entry behind the checkpoint was changed, and fails its verification for one before', async () => {
    for (const [seq, claimed] of [
      [10, true],
      [90, false],
    ] as const) {
      const file = temporaryFile();
      const engine = sqliteEngine(file);
      await counting([]).run(undefined, { engine, runId: 'run' });
      const raw = rawDatabase(file);
      raw.exec('DROP TRIGGER journal_fixed');
      raw.exec(`UPDATE journal SET data = '{"ok":true,"value":7,"attempts":1}' WHERE seq = ${seq}`);
      await engine.answer('run', 'ok', { decision: 'approve' });
      const claim = engine.claim('run', 'someone').then(Boolean, ({ code }: { code: string }) => code);
      expect(await claim).toBe(claimed ? true : 'STORE_CORRUPT');
      expect(await engine.verify('run')).toMatchObject({ status: 'broken', seq });
      await engine.close();
    }
  });
});
