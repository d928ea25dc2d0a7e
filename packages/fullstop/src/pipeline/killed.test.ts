import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { eventually, openEngine, temporaryFile } from '../engines/sqlite/engine.fixture.js';
import { killable } from './killable.fixture.js';

const program = fileURLToPath(new URL('./killed-worker.fixture.ts', import.meta.url));

it('a pipeline whose process is killed continues in another one, inside the unfinished stage of its phase', {
  timeout: 300_000,
}, async () => {
  const [file, effects] = [temporaryFile(), temporaryFile()];
  const done = (): readonly string[] => (existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : []);
  const engine = openEngine(file, { pollMs: 100 });
  await engine.start({ runId: 'r', name: 'killable', version: '1' });
  const child = spawn(process.execPath, ['--import', 'tsx', program, file, effects], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(() => done().length === 4);
  child.kill('SIGKILL');

  const flow = killable(effects, false);
  const worker = engine.worker([flow]);
  await engine.waitForEnding('r', 1);
  await worker.stop();
  const result = await flow.result('r', { engine });
  expect(result).toMatchObject({ outcome: 'succeeded', segment: 1, output: 'publish a draft' });
  expect(
    result?.stages.map(({ name, phase, outcome, termination }) => [name, phase, outcome, termination.kind]),
  ).toEqual([
    ['collect', undefined, 'succeeded', 'flow_completed'],
    ['outline', 'writing', 'succeeded', 'flow_completed'],
    ['draft', 'writing', 'succeeded', 'natural_end'],
    ['publish', undefined, 'succeeded', 'flow_completed'],
  ]);
  // Only the call that was under way is made again.
  expect(done()).toEqual([
    `collect ${child.pid}`,
    `outline ${child.pid}`,
    `first tool ${child.pid}`,
    `second tool ${child.pid}`,
    `second tool ${process.pid}`,
    `publish a draft ${process.pid}`,
  ]);
  expect((await engine.verify('r')).status).not.toBe('broken');
});
