import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import { defineRun } from '../../../packages/fullstop/src/run/define-run.js';
import { end } from '../../../packages/fullstop/src/run/ending/body-result.js';
import { terminations } from '../../../packages/fullstop/src/termination/terminations.js';

/** A run that adds up, with a value that is long enough to be kept apart in some of them. */
export const adding = defineRun({
  name: 'adding',
  onEnding: ['hook'],
  run: async (context, input: { readonly index: number }) => {
    let sum = 0;
    for (let step = 0; step < 3; step += 1) sum += await context.step(`add-${step}`, () => input.index + step);
    if (input.index % 3 === 0) await context.step('long', () => 'a long text, '.repeat(6000));
    return end(terminations.naturalEnd(), { sum });
  },
});

const asking = defineRun({
  name: 'asking',
  run: async (context, input: { readonly index: number }) => {
    await context.step('think', () => input.index);
    const { by } = await context.wait({ id: 'ok', type: 'approval', tool: 'deploy' });
    return end(terminations.naturalEnd(), { by: by ?? 'nobody' });
  },
});

const sleeping = defineRun({
  name: 'sleeping',
  run: async (context, _input: { readonly index: number }) => {
    await context.sleep('long', 1e9);
    return terminations.naturalEnd();
  },
});

/** How many of the sample's runs wait for a worker. */
export const readyRuns: readonly string[] = ['ready-0', 'ready-1', 'ready-2'];

/** Makes a store with runs in every state. */
export async function makeSample(file: string): Promise<ReturnType<typeof sqliteEngine>> {
  const engine = sqliteEngine(file);
  for (let index = 0; index < 4; index += 1) {
    await adding.run({ index }, { engine, runId: `ended-${index}` });
    await asking.run({ index }, { engine, runId: `asking-${index}` });
  }
  await engine.answer('asking-1', 'ok', { decision: 'approve', by: 'maria' });
  void sleeping.run({ index: 0 }, { engine, runId: 'sleeping' });
  while ((await engine.summary('sleeping'))?.state !== 'parked') await sleep(5);
  for (const [index, runId] of readyRuns.entries())
    await engine.start({ runId, name: adding.name, version: adding.version, input: { index } });
  return engine;
}
