import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { openEngine, temporaryFile } from '../engines/sqlite/engine.fixture.js';
import { terminations } from '../termination/terminations.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { defineRun } from './define-run.js';
import type { RunContext } from './run-context.js';

type Deed = 'step' | 'child' | 'turn';

async function walk(context: RunContext, name: string, deeds: readonly Deed[]): Promise<void> {
  for (const deed of deeds) {
    if (deed === 'turn') await new Promise((resolve) => setImmediate(resolve));
    else if (deed === 'step') await context.step(name, () => 1);
    else await context.child(name, async () => terminations.naturalEnd());
  }
}

async function walkAll(context: RunContext, branches: readonly (readonly Deed[])[]) {
  await Promise.all(branches.map((deeds, index) => walk(context, `branch ${index}`, deeds)));
  return terminations.naturalEnd();
}

describe('entries that a listener is notified of', () => {
  it('comes in the order of the journal, whatever happens at the same time', async () => {
    const engine = openEngine(temporaryFile());
    const branch = fc.array(fc.constantFrom<Deed>('step', 'child', 'turn'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(branch, { minLength: 2, maxLength: 3 }), async (branches) => {
        const told: string[] = [];
        const busy = defineRun({ name: 'busy', run: (context) => walkAll(context, branches) });
        const onEntry = ({ type, scope, ordinal }: { type: string; scope: string; ordinal: number }) =>
          void told.push(`${type} ${scope} ${ordinal}`);
        const { runId } = await busy.run(undefined, { engine, onEntry });
        const journal = await engine.journal(runId);
        const kept = journal.map(({ type, scope, ordinal }) => `${type} ${scope} ${ordinal}`);
        expect(told).toEqual(kept.slice(kept.length - told.length));
        expect(told).toHaveLength(kept.length - 1);
      }),
      { numRuns: 60 },
    );
  });

  it('holds what a commit failed to keep, once it is kept together with the ending', async () => {
    const engine = faultyEngine(memoryEngine(), [{ point: 'flush', effect: 'fail', nth: 2 }]);
    const run = defineRun({
      name: 'unlucky',
      run: async (context) => {
        for (const key of ['first', 'second', 'third']) await context.step(key, () => 1);
        return terminations.naturalEnd();
      },
    });
    const told: string[] = [];
    const onEntry = ({ type, key }: { type: string; key?: string | undefined }) => void told.push(key ?? type);
    const result = await run.run(undefined, { engine, onEntry });
    expect(result.termination).toMatchObject({ kind: 'failed', origin: 'engine' });
    expect(told).toEqual(['first', 'second', 'segment_ended']);
    expect((await result.journal()).map(({ type, key }) => key ?? type)).toEqual(['run_started', ...told]);
  });
});
