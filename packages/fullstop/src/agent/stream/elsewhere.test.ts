import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openEngine, temporaryFile } from '../../engines/sqlite/engine.fixture.js';
import { approve } from '../options/directive.js';
import { travelling } from './elsewhere.fixture.js';
import { readMessage, shown } from './ui-message.fixture.js';

const program = fileURLToPath(new URL('./elsewhere-worker.fixture.ts', import.meta.url));

it('a run that another process executes is followed through its pause to its end', { timeout: 300_000 }, async () => {
  const file = temporaryFile();
  const engine = openEngine(file, { pollMs: 100 });
  await engine.start({ runId: 'r', name: 'travelling', version: '1', input: 'go' });
  const child = spawn(process.execPath, ['--import', 'tsx', program, file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const agent = travelling();

  const first = await readMessage(agent.follow('r', { engine }));
  expect(first.message.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'first the map' },
    { type: 'text', text: 'let me see' },
    { toolCallId: 'a', state: 'output-available', output: { at: 1 } },
    { type: 'step-start' },
    { type: 'text', text: 'may I?' },
    { toolCallId: 'b', state: 'approval-requested', approval: { id: 'b' } },
    { type: 'data-ending', data: { kind: 'interaction_pending' } },
  ]);

  const { ending } = first.message.metadata as { ending: { cursor: number } };
  // The answer opens the next segment, which the other process executes too.
  await engine.answer('r', 'b', approve());
  const rest = await readMessage(agent.follow('r', { engine, after: ending.cursor }), { before: first.message });
  expect(rest.message.metadata).toMatchObject({ ending: { kind: 'natural_end', segment: 2 } });
  expect(shown(rest.message)).toEqual(shown((await readMessage(agent.follow('r', { engine }))).message));
});
