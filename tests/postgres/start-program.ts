import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcess;
  said(): string;
}

/** A program of this folder in a process of its own, killed when its test is over. */
export function startProgram(file: string, args: readonly string[]): Child {
  const script = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += String(text);
    });
  onTestFinished(() => {
    child.kill('SIGCONT');
    child.kill('SIGKILL');
  });
  return { process: child, said: () => said };
}
