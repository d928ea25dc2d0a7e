import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { resumeWithEnding } from '../../packages/fullstop/src/adapters/ai-sdk/index.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/sqlite-engine.js';
import { sweepAbandoned } from '../../packages/fullstop/src/run/process/sweep.js';
import { scriptedModel } from '../../packages/fullstop/src/testing/index.js';

const program = fileURLToPath(new URL('./killed-run.fixture.ts', import.meta.url));

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

function openEngine(file: string): ReturnType<typeof sqliteEngine> {
  const engine = sqliteEngine(file);
  onTestFinished(() => engine.close());
  return engine;
}

/** Kills a program in the third step of its call, once two are in the journal. */
async function killInThirdStep(file: string): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', program, file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const engine = openEngine(file);
  const steps = async (): Promise<number> => {
    const runs = await engine.list({});
    if (runs.runs.length === 0) return 0;
    return (await engine.journal('killed')).filter(({ type }) => type === 'step_ended').length;
  };
  await expect.poll(steps).toBe(2);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

test('a call whose process is killed ends as abandoned when its runs are swept, with what it used', async () => {
  const file = temporaryFile();
  await killInThirdStep(file);
  const engine = openEngine(file);
  await expect.poll(async () => (await sweepAbandoned(engine, undefined, { olderThanMs: 1 })).length).toBe(1);
  const { runs } = await engine.list({});
  expect(runs).toMatchObject([{ runId: 'killed', kind: 'abandoned' }]);
  const ending = (await engine.journal('killed')).at(-1);
  expect(ending).toMatchObject({ data: { envelope: { usage: { inputTokens: 80, outputTokens: 20 } } } });
  expect((await engine.verify('killed')).status).not.toBe('broken');
});

test('or it continues in another process with the conversation so far, and no step is made twice', async () => {
  const file = temporaryFile();
  await killInThirdStep(file);
  const engine = openEngine(file);
  const asked: number[] = [];
  const look = tool({
    inputSchema: z.object({ n: z.number() }),
    execute: async ({ n }) => {
      asked.push(n);
      return `looked at ${n}`;
    },
  });
  const third = { toolCalls: [{ tool: 'look', input: { n: 3 } }], usage: { inputTokens: 40, outputTokens: 10 } };
  const model = scriptedModel([third, { text: 'seen', usage: { inputTokens: 40, outputTokens: 10 } }]);
  const given = { model: model as unknown as LanguageModel, tools: { look }, prompt: 'Look', stopWhen: stepCountIs(9) };
  const { termination, run } = await eventuallyResumed(() =>
    resumeWithEnding(generateText, given, { engine, runId: 'killed' }),
  );
  expect(termination).toEqual({ kind: 'natural_end' });
  expect(asked).toEqual([3]);
  // Two steps before the kill, two after it; what was under way is not known to have cost anything.
  expect(run.usage).toMatchObject({ inputTokens: 160, outputTokens: 40 });
});

/** The lease of the process that was killed has to run out first. */
async function eventuallyResumed<T>(resume: () => Promise<T>): Promise<T> {
  let resumed: { readonly result: T } | undefined;
  const attempt = async (): Promise<boolean> => {
    resumed ??= { result: await resume() };
    return true;
  };
  await expect.poll(attempt).toBe(true);
  return (resumed as unknown as { readonly result: T }).result;
}
