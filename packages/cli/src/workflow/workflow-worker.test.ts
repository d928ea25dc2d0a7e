import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { loadWorkflow, workflowOfRun } from 'fullstop/workflow';
import { expect, it, onTestFinished } from 'vitest';
import { leaveToWorker } from './leave-to-worker.js';
import { WorkflowWorker } from './workflow-worker.js';

it('executes as many runs at once as it was told, however many workflows they are of, and serves each of these', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-worker-'));
  const engine = sqliteEngine(join(folder, 'runs.db'));
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async (name: string, count: number): Promise<readonly string[]> => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(
      file,
      `workflow: {name: ${name}, entry_point: one}\nagents:\n  - {name: one, type: set, value: x, routes: [{to: $end}]}\n`,
    );
    const workflow = loadWorkflow(file, {});
    const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
    for (const runId of ids) await leaveToWorker(engine, {}, (opening) => workflow.run({}, { runId, engine: opening }));
    return ids;
  };
  const quiet = await start('quiet', 3);
  const busy = await start('busy', 20);
  let [now, most] = [0, 0];
  const served: string[] = [];
  const worker = new WorkflowWorker({
    engine,
    definitions: [],
    concurrency: 2,
    pollMs: 10,
    counting: async ({ identity }, execute) => {
      now += 1;
      most = Math.max(most, now);
      served.push(identity.name);
      // Long enough that whatever may begin at the same time does.
      await new Promise((resolve) => setTimeout(resolve, 20));
      await execute();
      now -= 1;
    },
    workflowOf: (runId) => workflowOfRun(engine, runId, {}),
    onFound: () => undefined,
    onRefused: (_, error) => {
      throw error;
    },
  });
  worker.start();
  const endings = await Promise.all([...quiet, ...busy].map((runId) => engine.waitForEnding(runId, 1)));
  await worker.stop(10_000);
  expect(new Set(endings.map(({ outcome }) => outcome))).toEqual(new Set(['succeeded']));
  expect(most).toBe(2);
  // Its many runs were all ready before the last of the others was begun.
  expect(served.lastIndexOf('quiet')).toBeLessThan(served.lastIndexOf('busy'));
});
