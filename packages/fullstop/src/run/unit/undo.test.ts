import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { checkJournal } from '../../testing/check-journal.js';
import { faultyEngine } from '../../testing/faulty-engine.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import type { BodyResult, RunContext } from '../run-context.js';

type Body = (context: RunContext) => Promise<BodyResult>;

/** Runs a body that is cancelled by the step `stop`, and then sleeps. */
async function cancelled(begin: (context: RunContext) => Promise<readonly Promise<unknown>[]>) {
  const stop = new AbortController();
  const definition = defineRun({
    name: 'undone',
    graceMs: 500,
    run: async (context) => {
      const units = await begin(context);
      await context.step('stop', () => stop.abort('enough'));
      await context.sleep('long', 60_000);
      await Promise.all(units);
      return terminations.naturalEnd();
    },
  });
  const { termination, also } = await definition.run(undefined, { signal: stop.signal, clock: simulatedClock() });
  return { kind: termination.kind, also };
}

describe('undo steps', () => {
  it('of a unit that reaches its own ending while it is cancelled are performed all the same', async () => {
    const undone: string[] = [];
    const unit =
      (name: string, unwind: (error: unknown) => BodyResult): Body =>
      async (inner) => {
        inner.onCancel(name, () => void undone.push(name));
        try {
          await inner.sleep('long', 60_000);
        } catch (error) {
          return unwind(error);
        }
        return terminations.naturalEnd();
      };
    const { kind } = await cancelled(async (context) => {
      context.onCancel('run', () => void undone.push('run'));
      await context.child('done before', async (inner) => {
        inner.onCancel('done before', () => void undone.push('done before'));
        return terminations.naturalEnd();
      });
      return [
        context.child('returns', (outer) => {
          outer.onCancel('around', () => void undone.push('around'));
          return outer
            .child(
              'inside',
              unit('returns', () => terminations.skipped()),
            )
            .then(({ termination }) => termination);
        }),
        context.child(
          'throws',
          unit('throws', () => {
            throw new Error('other');
          }),
        ),
      ];
    });
    expect(kind).toBe('cancelled');
    expect(undone.toSorted()).toEqual(['around', 'returns', 'run', 'throws']);
    expect(undone.indexOf('returns')).toBeLessThan(undone.indexOf('around'));
    expect(undone.at(-1)).toBe('run');
  });

  it('that did not finish within the grace period are reported with the ending', async () => {
    const undone: string[] = [];
    const { kind, also } = await cancelled(async (context) => {
      context.onCancel('never begun', () => void undone.push('never begun'));
      context.onCancel('hangs', () => new Promise(() => undefined));
      context.onCancel('done', () => void undone.push('done'));
      return [];
    });
    expect([kind, undone]).toEqual(['cancelled', ['done']]);
    expect(also).toMatchObject([
      { kind: 'failed', error: { code: 'UNDO_UNFINISHED', message: expect.stringContaining('"hangs"') } },
      { kind: 'failed', error: { code: 'UNDO_UNFINISHED', message: expect.stringContaining('"never begun"') } },
    ]);
  });

  it.each(['crash', 'crash_after'] as const)(
    'of a unit that ended while it was cancelled are performed by the next owner after a %s',
    async (effect) => {
      const clock = simulatedClock();
      const engine = faultyEngine(memoryEngine({ clock }), [{ point: 'append', effect, entry: 'unit_ended', nth: 2 }]);
      const undone: string[] = [];
      const unit =
        (name: string): Body =>
        async (inner) => {
          await inner.step('book', () => name);
          inner.onCancel('unbook', () => void undone.push(name));
          await inner.sleep('long', 60_000).catch(() => undefined);
          return terminations.terminated({ status: 'failed', reason: 'enough', by: name });
        };
      const definition = defineRun({
        name: 'booked',
        run: async (context) => {
          const inner = unit('inside');
          const units = [
            context.child('left', unit('left')),
            context.child('right', async (right) => {
              await right.child('inside', inner);
              return terminations.naturalEnd();
            }),
          ];
          await context.step('stop', () => engine.cancel('r', { by: 'operator' }));
          await Promise.all(units);
          return terminations.naturalEnd();
        },
      });
      await engine.start({ runId: 'r', name: 'booked', version: '1' });
      for (let owner = 0; owner < 3 && (await engine.ending('r')) === undefined; owner += 1) {
        const session = await engine.claim('r', 'test');
        if (session !== undefined) await Promise.race([definition.execute(session, engine), engine.lost('r')]);
      }
      expect(engine.struck).toHaveLength(1);
      expect((await engine.ending('r'))?.termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
      expect(undone.toSorted()).toEqual(['inside', 'left']);
      const journal = await engine.journal('r');
      expect(journal.filter(({ type }) => type === 'unit_ended')).toHaveLength(3);
      await checkJournal(engine, 'r');
    },
  );
});
