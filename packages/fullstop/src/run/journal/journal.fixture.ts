import { hash } from 'node:crypto';
import type { Engine } from '../../engines/port/engine.js';
import { chainInput, chainStart, entryBytes, needsBlob, referenceTo } from '../../engines/port/entry-bytes.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';

/** The journal of a run with a pause, an answer and a large value, which closes in its second segment. */
export async function sampleJournal(engine: Engine, runId = 'sample'): Promise<readonly JournalEntry[]> {
  const definition = defineRun({
    name: 'sample',
    run: async (context, input: { readonly text: string }) => {
      await context.step('large', () => input.text.repeat(70_000));
      await context.record('small', () => ({ __proto__: null, '1': 'x', b: [1.5, null, '\u2028'] }));
      const answer = await context.wait({ id: 'ok', type: 'approval' });
      const inner = await context.child('inner', async (unit) => {
        await unit.step('s', () => 1);
        return terminations.naturalEnd();
      });
      return end(terminations.flowCompleted({ last: 'inner' }), { by: answer.by, inner: inner.termination.kind });
    },
  });
  await definition.run({ text: 'x' }, { engine, runId });
  const result = await definition.resume(runId, { engine, answers: { ok: { decision: 'approve', by: 'maria' } } });
  return result.journal();
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The same entries with the hashes that an engine with a chain would give them. */
export function chained(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  let previous = chainStart;
  return entries.map((entry) => {
    const text = JSON.stringify(entry.data);
    const stored = needsBlob(text) ? referenceTo(sha256(text)) : text;
    previous = sha256(chainInput(previous, entryBytes(entry.runId, entry, stored)));
    return { ...entry, hash: previous };
  });
}
