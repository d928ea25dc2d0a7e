import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { markOf } from '../engines/sqlite/liveness.js';
import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import type { JsonValue } from '../termination/json.js';
import { loadWorkflow } from './load-workflow.js';
import { endOrphans } from './perform/program/orphans.js';
import { directoryWith, isAlive } from './workflow.fixture.js';

const program = fileURLToPath(new URL('killed-script.fixture.ts', import.meta.url));
const patience = { timeout: 120_000, interval: 50 };
const knowsStarts = process.platform === 'linux';

/** Says that it began, works until it is told to stop, and says that it came to its end. */
const script = 'echo begin $$ >> log; while [ ! -e go ]; do sleep 0.05; done; echo end $$ >> log';

describe.skipIf(!knowsStarts)('a script whose owner was killed', () => {
  it('is ended before it is run again', { timeout: 300_000 }, async () => {
    const folder = directoryWith({
      'w.yaml': `workflow: {name: w, entry_point: s}\nagents: [{name: s, type: script, command: sh, args: ["-c", "${script}"], working_dir: "{{ workflow.dir }}"}]\n`,
      log: '',
    });
    const lines = (): readonly string[] => readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);
    const store = join(folder, 'runs.db');
    const owner = spawn(process.execPath, ['--import', 'tsx', program, join(folder, 'w.yaml'), store], {
      stdio: 'ignore',
    });
    const isOver = new Promise((resolve) => owner.once('exit', resolve));
    onTestFinished(() => void owner.kill('SIGKILL'));
    const engine = sqliteEngine(store, { pollMs: 20 });
    onTestFinished(() => engine.close());
    await vi.waitFor(async () => {
      const [noted] = await engine.journal('r', { types: ['step_noted'] });
      expect(noted?.data).toMatchObject({ attempt: 1, note: { pid: expect.any(Number) } });
      expect(lines()).toHaveLength(1);
    }, patience);
    owner.kill('SIGKILL');
    await isOver;
    const first = Number(lines()[0]?.split(' ')[1]);
    onTestFinished(() => {
      if (isAlive(first)) process.kill(-first, 'SIGKILL');
    });
    expect(isAlive(first)).toBe(true);
    const worker = engine.worker([loadWorkflow(join(folder, 'w.yaml'))]);
    onTestFinished(() => worker.stop(0));
    await vi.waitFor(() => expect(lines()).toHaveLength(2), patience);
    expect(isAlive(first)).toBe(false);
    writeFileSync(join(folder, 'go'), '');
    await vi.waitFor(async () => expect(await engine.ending('r')).toBeDefined(), patience);
    const second = lines()[1]?.split(' ')[1];
    expect(second).not.toBe(String(first));
    expect(lines().filter((line) => line.startsWith('end'))).toEqual([`end ${second}`]);
  });

  it('is not mistaken for a later process with the same number', async () => {
    const bystander = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    const isOver = new Promise((resolve) => bystander.once('exit', resolve));
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const mark = markOf(bystander.pid ?? 0);
    const others: readonly JsonValue[] = [
      { ...mark, startedAt: String(Number(mark.startedAt) - 1) },
      { ...mark, startedAt: '' },
      { ...mark, host: 'elsewhere' },
      { ...mark, space: 'another boot' },
      { ...mark, pid: 1, startedAt: markOf(1).startedAt },
      { ...mark, pid: -1 },
      { ...mark, pid: '1' },
      'a note of something else',
      null,
    ];
    await endOrphans(others);
    expect(isAlive(mark.pid)).toBe(true);
    await endOrphans([{ ...mark }]);
    await isOver;
    expect(isAlive(mark.pid)).toBe(false);
  });
});
