import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, vi } from 'vitest';
import { hasWorker, workerMark } from './worker-mark.js';

function temporaryStore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-mark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

it('says that a worker is there from its mark to the end of it', () => {
  const store = temporaryStore();
  expect(hasWorker(store)).toBe(false);
  const mark = workerMark(store);
  expect(mark.set()).toBe(true);
  expect([hasWorker(store), workerMark(store).set()]).toEqual([true, false]);
  mark.clear();
  expect(hasWorker(store)).toBe(false);
});

it.runIf(process.platform === 'linux')(
  'does not take a worker for alive that was killed and not yet noticed',
  async () => {
    const store = temporaryStore();
    // The parent of the killed process becomes a program that never asks for its children.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const pid = Number(line);
    writeFileSync(`${store}.worker`, line);
    expect(hasWorker(store)).toBe(true);
    await vi.waitUntil(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() === 'sleep', { timeout: 60_000 });
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), { timeout: 60_000 });
    expect(hasWorker(store)).toBe(false);
  },
);
