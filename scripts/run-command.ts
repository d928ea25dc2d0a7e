import { spawn } from 'node:child_process';
import { root } from './published-packages.js';

/** Runs a program at the root with its output on the terminal and returns its exit code. npm puts node_modules/.bin on the path. */
export function runCommand(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
