import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { sweepAbandoned } from '../../run/process/sweep.js';
import { terminations } from '../../termination/terminations.js';
import { eventually, openEngine, temporaryFile } from './engine.fixture.js';

const script = fileURLToPath(new URL('./process.fixture.ts', import.meta.url));

interface Child {
  readonly process: ChildProcess;
  readonly exited: Promise<number | null>;
  said(): string;
}

function start(...parameters: readonly string[]): Child {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += String(text);
    });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { process: child, exited, said: () => said };
}

const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => -1);
    const second = await context.step('second', () => -2);
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});

describe('several processes on one file', () => {
  it('see that one was killed long before its lease ends, and continue with its runs', {
    timeout: 300_000,
  }, async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { pollMs: 100 });
    await engine.start({ runId: 'run', name: 'stubborn', version: '1' });
    // Longer than the test may take: whoever waits for the lease never ends.
    const child = start(file, 'stuck', '600000');
    await eventually(() => child.said().includes('in the second step'));
    const worker = engine.worker([stubborn]);
    // Time is the subject: longer than the worker leaves between two looks for dead owners.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await engine.summary('run')).toMatchObject({ state: 'running' });
    child.process.kill('SIGKILL');
    const ending = await engine.waitForEnding('run', 1);
    // The first step stands as the dead process wrote it, the second was done again.
    expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    expect(await engine.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await worker.stop();
  });

  it('see in one look that one was killed, long before its lease ends, and a sweep ends its run', {
    timeout: 300_000,
  }, async () => {
    const file = temporaryFile();
    const writer = openEngine(file);
    await writer.start({ runId: 'run', name: 'stubborn', version: '1' });
    const child = start(file, 'stuck', '600000');
    await eventually(() => child.said().includes('in the second step'));
    expect(await writer.summary('run')).toMatchObject({ state: 'running' });
    child.process.kill('SIGKILL');
    await child.exited;
    const reader = openEngine(file, { readOnly: true });
    expect((await reader.list()).runs).toMatchObject([{ runId: 'run', orphaned: true }]);
    expect(await reader.summary('run')).toMatchObject({ orphaned: true });
    const [ending] = await sweepAbandoned(openEngine(file), [stubborn], { olderThanMs: 1 });
    expect(ending?.termination).toMatchObject({ kind: 'abandoned' });
  });

  it('end a run whose workers live and never yield, and say what is known of the last of them', {
    timeout: 300_000,
  }, async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { pollMs: 100 });
    await engine.start({ runId: 'run', name: 'wedging', version: '1' });
    // Each takes the run from the one before, which lives until then.
    let last: Child | undefined;
    for (let index = 0; index < 5; index += 1) {
      const child = start(file, 'wedged', '500');
      await eventually(() => child.said().includes('wedged'));
      last?.process.kill('SIGKILL');
      last = child;
    }
    const wedging = defineRun({ name: 'wedging', run: () => Promise.reject(new Error('never called')) });
    const worker = engine.worker([wedging]);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(last?.process.exitCode).toBeNull();
    expect(termination).toMatchObject({ kind: 'failed', origin: 'engine', error: { code: 'OWNER_UNRESPONSIVE' } });
    const message = termination.kind === 'failed' ? termination.error.message : '';
    expect(message).toMatch(/^This run lost its process 5 times in a row, without writing an entry: each was alive/);
    const [, seen] =
      new RegExp(`process ${last?.process.pid} on .+, was last seen at (\\S+)\\.( |$)`).exec(message) ?? [];
    const [, entry, at] = /last entry, number (\d+), is step_ended "first" of (\S+)\.$/.exec(message) ?? [];
    const [first] = await engine.journal('run', { types: ['step_ended'] });
    expect([Number(entry), Date.parse(at ?? '')]).toEqual([first?.seq, first?.at]);
    expect(Date.parse(seen ?? '')).toBeGreaterThanOrEqual(first?.at ?? Number.NaN);
    await worker.stop();
  });

  it('resume a run once, and a later caller learns who was first', { timeout: 300_000 }, async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const count = 10;
    const limited = defineRun({
      name: 'limited',
      limits: { steps: 1 },
      run: async (context) => {
        await context.step('first', () => 1);
        await context.step('second', () => 2);
        return terminations.naturalEnd();
      },
    });
    for (let index = 0; index < count; index += 1) await limited.run(undefined, { engine, runId: `run ${index}` });
    const children = [start(file, 'resumer', `${count}`, 'a', 'b'), start(file, 'resumer', `${count}`, 'b', 'a')];
    for (const child of children) await eventually(() => child.said().includes('ready'));
    await engine.start({ runId: 'go', name: 'go', version: '1' });
    await Promise.all(children.map(({ exited }) => exited));
    const said = children.map((child) => child.said()).join('');
    for (let index = 0; index < count; index += 1) {
      const [opening, ...others] = await engine.journal(`run ${index}`, { types: ['segment_opened'] });
      const winner = opening?.type === 'segment_opened' ? opening.data.by : undefined;
      expect(others).toEqual([]);
      expect(said).toContain(`run ${index}: natural_end by ${winner}\n`);
      // Whoever comes between the opening of a segment and its claim executes it for the one who opened it: then both have its ending.
      expect(said).toMatch(
        new RegExp(
          `run ${index}: (RESUME_CONFLICT The run run ${index} was resumed by ${winner} first \\(segment 2|RUN_CLOSED |natural_end by (?!${winner}\n))`,
        ),
      );
    }
  });

  it('write at the same time without losing anything', { timeout: 300_000 }, async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const children = [start(file, 'writer', '40'), start(file, 'writer', '40')];
    const own = await Promise.all(Array.from({ length: 40 }, () => stubborn.run(undefined, { engine })));
    expect(own.every(({ persisted }) => persisted)).toBe(true);
    await Promise.all(children.map(({ exited }) => exited));
    for (const child of children) expect(child.said()).toContain('40 persisted');
    const { runs } = await engine.list({ limit: 1000, state: 'ended' });
    expect(runs).toHaveLength(120);
    for (const { runId } of runs) {
      expect(await engine.verify(runId)).toMatchObject({ status: 'consistent' });
      expect(await engine.journal(runId, { types: ['step_ended'] })).toHaveLength(2);
    }
  });

  it('answer each other', { timeout: 300_000 }, async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { pollMs: 100 });
    const child = start(file, 'asker');
    await eventually(async () => (await engine.summary('question'))?.kind === 'interaction_pending');
    await engine.answer('question', 'ok', { decision: 'approve', by: 'maria' });
    await engine.waitForEnding('question', 2);
    expect(await child.exited).toBe(0);
    expect(child.said()).toContain('ended by maria');
  });
});
