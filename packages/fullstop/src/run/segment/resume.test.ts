import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import type { RunContext } from '../run-context.js';

const asked = { id: 'q', type: 'approval' } as const;
const yes = { q: { decision: 'approve' } } as const;

/** Waits for an answer, and then for ever. */
async function askAndHang(context: Pick<RunContext, 'step' | 'wait'>): Promise<void> {
  await context.wait(asked);
  await context.step('hang', ({ signal }) => {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    });
  });
}

const hanging = defineRun({
  name: 'hanging',
  run: async (context) => {
    await askAndHang(context);
    return terminations.naturalEnd();
  },
});

describe('the signal of a resume', () => {
  it('cancels the run while it is running', async () => {
    const engine = memoryEngine();
    await hanging.run(undefined, { engine, runId: 'r' });
    const controller = new AbortController();
    const onEntry = ({ type }: { readonly type: string }): void => {
      if (type === 'request_answered') setTimeout(() => controller.abort('enough'), 0);
    };
    const { signal } = controller;
    const { termination } = await hanging.resume('r', { engine, answers: yes, signal, onEntry });
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'enough' });
  });

  it('that is aborted already cancels it at once', async () => {
    const engine = memoryEngine();
    await hanging.run(undefined, { engine, runId: 'r' });
    const signal = AbortSignal.abort('no');
    const { termination } = await hanging.resume('r', { engine, answers: yes, signal });
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'no' });
  });

  it('cancels what `result.resume` continues with', async () => {
    const paused = await hanging.run(undefined);
    const { termination } = await paused.resume({ answers: yes, signal: AbortSignal.abort('no') });
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'no' });
  });
});
