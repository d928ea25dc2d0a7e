import type { Engine } from '../../../packages/fullstop/src/engines/port/engine.js';
import { defineRun } from '../../../packages/fullstop/src/run/define-run.js';
import { end } from '../../../packages/fullstop/src/run/ending/body-result.js';
import { exportJournal } from '../../../packages/fullstop/src/run/journal/journal-file.js';
import { terminations } from '../../../packages/fullstop/src/termination/terminations.js';

const leaf = defineRun({ name: 'leaf', run: async () => terminations.naturalEnd() });

/** A run with nearly every type of entry, in two segments. */
const story = defineRun({
  name: 'story',
  onEnding: ['ops'],
  run: async (context) => {
    context.emit({ chapter: 1 });
    await context.step('read', () => ({ text: 'x' }));
    await context.record('judge', () => true);
    await context.step('fails', () => Promise.reject(new Error('no'))).catch(() => undefined);
    await context.step('once', () => 1, { once: true });
    await context.child('unit', async (inner) => {
      await inner.step('write', () => 1);
      return terminations.naturalEnd();
    });
    await context.spawn(leaf);
    const { by } = await context.wait({ id: 'ok', type: 'approval', options: [{ value: 'approve' }], deadline: 4e12 });
    return end(terminations.flowCompleted({ last: 'ok' }), { by });
  },
});

/** Runs the story in an engine and exports its journal. */
export async function exportStory(engine: Engine): Promise<readonly string[]> {
  await story.run(undefined, { engine, runId: 'story' });
  await story.resume('story', { engine, answers: { ok: { decision: 'approve', value: 'approve', by: 'maria' } } });
  const lines: string[] = [];
  for await (const line of exportJournal(engine, 'story')) lines.push(line);
  return lines;
}
