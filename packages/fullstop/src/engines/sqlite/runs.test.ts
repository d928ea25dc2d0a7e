import { describe, expect, it } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { eventually, openEngine, temporaryFile } from './engine.fixture.js';

const performed: string[] = [];

const release = defineRun({
  name: 'release',
  onEnding: ['hook'],
  run: async (context, { steps }: { readonly steps: number }) => {
    let sum = 0;
    for (let index = 0; index < steps; index += 1) {
      sum += await context.step(`step-${index}`, () => {
        performed.push(`step-${index}`);
        return index;
      });
    }
    const answer = await context.wait({ id: 'ok', type: 'approval', tool: 'deploy' });
    const inner = await context.child('inner', async (child) => {
      await child.step('once', () => 1, { once: true });
      return terminations.naturalEnd();
    });
    return end(terminations.flowCompleted({ last: 'inner' }), {
      sum,
      by: answer.by ?? '',
      inner: inner.termination.kind,
    });
  },
});

describe('a run on a file', () => {
  it.each([false, true])(
    'continues in another engine when it is answered (always replayed: %s)',
    async (alwaysReplay) => {
      performed.length = 0;
      const file = temporaryFile();
      const one = openEngine(file);
      const paused = await release.run({ steps: 3 }, { engine: one, runId: 'run', alwaysReplay });
      expect(paused).toMatchObject({ termination: { kind: 'interaction_pending' }, persisted: true, segment: 1 });
      await one.close();
      const other = openEngine(file);
      const ended = await release.resume('run', {
        engine: other,
        answers: { ok: { decision: 'approve', by: 'maria' } },
        alwaysReplay,
      });
      expect(ended).toMatchObject({
        termination: { kind: 'flow_completed' },
        output: { sum: 3, by: 'maria', inner: 'natural_end' },
        segment: 2,
      });
      expect(performed).toEqual(['step-0', 'step-1', 'step-2']);
      expect(await other.verify('run', ended.headHash)).toMatchObject({ status: 'proved' });
      expect((await other.dueNotices()).map(({ id }) => id)).toEqual(['run:1:hook', 'run:2:hook']);
      await expect(ended.resume()).rejects.toMatchObject({ code: 'RUN_CLOSED' });
      await expect(release.run({ steps: 4 }, { engine: other, runId: 'run' })).rejects.toMatchObject({
        code: 'RUN_ID_CONFLICT',
      });
      expect(await release.run({ steps: 3 }, { engine: other, runId: 'run' })).toMatchObject({
        segment: 2,
        headHash: ended.headHash,
      });
    },
  );

  it('is resumed with a higher limit, once', async () => {
    const engine = openEngine();
    const limited = defineRun({
      name: 'limited',
      limits: { steps: 2 },
      run: async (context) => {
        for (let index = 0; index < 5; index += 1) await context.step(`step-${index}`, () => index);
        return terminations.naturalEnd();
      },
    });
    const stopped = await limited.run(undefined, { engine });
    expect(stopped.termination).toMatchObject({ kind: 'max_iterations', limit: 2 });
    await expect(stopped.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const results = await Promise.allSettled([1, 2].map(() => stopped.resume({ limits: { steps: 10 } })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await engine.ending(stopped.runId)).toMatchObject({ termination: { kind: 'natural_end' }, segment: 2 });
  });

  it('is cancelled in its sleep, and undone', async () => {
    const engine = openEngine();
    const undone: string[] = [];
    const sleeping = defineRun({
      name: 'sleeping',
      run: async (context) => {
        context.onCancel('undo', () => undone.push('undone'));
        await context.sleep('long', 100_000);
        return terminations.naturalEnd();
      },
    });
    const controller = new AbortController();
    const running = sleeping.run(undefined, { engine, runId: 'sleeping', signal: controller.signal });
    await eventually(async () => (await engine.summary('sleeping'))?.state === 'parked');
    controller.abort(new Error('enough'));
    const cancelled = await running;
    expect(cancelled.termination).toMatchObject({ kind: 'cancelled', by: 'caller', reason: 'enough' });
    expect(undone).toEqual(['undone']);
  });

  it('keeps a thousand of them apart', async () => {
    const engine = openEngine();
    const counting = defineRun({
      name: 'counting',
      run: async (context, input: { readonly index: number }) => {
        let sum = 0;
        for (let step = 0; step < 3; step += 1) sum += await context.step(`${step}`, () => input.index);
        return end(terminations.naturalEnd(), { sum });
      },
    });
    const endings = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => counting.run({ index }, { engine, runId: `run-${index}` })),
    );
    expect(
      endings.every(
        ({ persisted, output }, index) => persisted && (output as { readonly sum: number }).sum === index * 3,
      ),
    ).toBe(true);
    expect(await engine.verify('run-999', endings[999]?.headHash)).toMatchObject({ status: 'proved' });
    expect(await engine.journal('run-999', { types: ['step_ended'] })).toHaveLength(3);
  });
});
