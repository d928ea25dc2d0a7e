import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { defineRun } from '../define-run.js';
import { fork } from './fork.js';

const done = { kind: 'natural_end' } as const;

describe('a fork', () => {
  const refused = async (engine: Engine, at: number): Promise<unknown> =>
    fork(engine, 'origin', { at }).then(
      () => 'forked',
      (error: unknown) => error,
    );

  it('is refused after a final ending and within a once-step, with the nearest entries where it is possible', async () => {
    const engine = memoryEngine();
    const body = defineRun({
      name: 'once',
      run: async (context) => {
        await context.step('first', () => 1);
        await context.step('pay', () => 2, { once: true });
        return { termination: done, output: 'done' };
      },
    });
    await body.run(undefined, { engine, runId: 'origin' });
    const journal = await engine.journal('origin');
    const begun = journal.find(({ type }) => type === 'step_started')?.seq ?? 0;
    expect(await refused(engine, begun)).toMatchObject({
      code: 'FORK_REFUSED',
      details: { before: begun - 1, after: begun + 1, reason: 'a step that may happen only once was under way' },
    });
    expect(await refused(engine, journal.length)).toMatchObject({ code: 'FORK_REFUSED', details: { runId: 'origin' } });
    expect(await refused(engine, 99)).toMatchObject({
      code: 'FORK_REFUSED',
      details: { reason: `it has ${journal.length} entries` },
    });
    expect(await refused(engine, 0)).toMatchObject({ code: 'INVALID_OPTION' });
    await expect(fork(engine, 'nothing', { at: 1 })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await fork(engine, 'origin', { at: 1, runId: 'copy' });
    await expect(fork(engine, 'origin', { at: 1, runId: 'copy' })).rejects.toMatchObject({ code: 'RUN_ID_CONFLICT' });
  });

  it('keeps the ids that were drawn before it, and draws new ones after it, also as a fork of a fork', async () => {
    const engine = memoryEngine();
    const body = defineRun({
      name: 'ids',
      limits: { steps: 1 },
      run: async (context) => {
        const ids: string[] = [];
        for (const key of ['one', 'two', 'three']) {
          const id = context.uuid();
          ids.push(await context.step(key, () => id));
          if (ids.at(-1) !== id) throw new Error('another id');
        }
        return { termination: done, output: ids };
      },
    });
    const more = (steps: number): { readonly engine: Engine; readonly limits: { readonly steps: number } } => ({
      engine,
      limits: { steps },
    });
    await body.run(undefined, { engine, runId: 'origin' });
    const end = async (runId: string): Promise<number> => (await engine.journal(runId)).length;
    await fork(engine, 'origin', { at: await end('origin'), runId: 'child' });
    await body.resume('child', more(2));
    await fork(engine, 'child', { at: await end('child'), runId: 'grandchild' });
    const outputs: (readonly string[])[] = [];
    for (const runId of ['origin', 'child', 'grandchild'])
      outputs.push((await body.resume(runId, more(100))).output as readonly string[]);
    const [origin, child, grandchild] = outputs;
    expect(child?.[0]).toBe(origin?.[0]);
    expect(grandchild?.slice(0, 2)).toEqual(child?.slice(0, 2));
    expect(new Set(outputs.flat()).size).toBe(6);
  });

  it('has another input for what comes after', async () => {
    const engine = memoryEngine();
    const body = defineRun({
      name: 'greet',
      limits: { steps: 1 },
      run: async (context, { name }: { readonly name: string }) => {
        const first = await context.step('first', () => `Hello ${name}`);
        const second = await context.step('second', () => `Goodbye ${name}`);
        return { termination: done, output: [first, second] };
      },
    });
    await body.run({ name: 'Ada' }, { engine, runId: 'origin' });
    const at = (await engine.journal('origin')).length;
    await fork(engine, 'origin', { at, runId: 'copy', input: { name: 'Bob' } });
    const { output } = await body.resume('copy', { engine, limits: { steps: 9 } });
    expect(output).toEqual(['Hello Ada', 'Goodbye Bob']);
  });

  it('may record something else, but no other outcome of an effect', async () => {
    const engine = memoryEngine();
    const body = defineRun({
      name: 'records',
      limits: { steps: 1 },
      run: async (context) => {
        const seen = await context.record('seen', () => 'old');
        const first = await context.step('first', () => `first ${seen}`);
        const second = await context.step('second', () => `second ${seen}`);
        return { termination: done, output: [seen, first, second] };
      },
    });
    await body.run(undefined, { engine, runId: 'origin' });
    const journal = await engine.journal('origin');
    const seqOf = (type: string): number => journal.find((entry) => entry.type === type)?.seq ?? 0;
    const at = journal.length;
    await fork(engine, 'origin', { at, runId: 'copy', recorded: { [seqOf('recorded')]: 'new' } });
    const { output } = await body.resume('copy', { engine, limits: { steps: 9 } });
    expect(output).toEqual(['new', 'first old', 'second new']);
    const recorded = { [seqOf('step_ended')]: 'other' };
    await expect(fork(engine, 'origin', { at, recorded })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('is refused for a turn of a conversation', async () => {
    const engine = memoryEngine();
    await engine.start({ runId: 'origin', name: 'turn', version: '1', conversation: { id: 'chat', turn: 1 } });
    expect(await refused(engine, 1)).toMatchObject({ code: 'FORK_REFUSED' });
  });
});
