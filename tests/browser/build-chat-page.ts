import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chatFolder } from './chat-server.js';

/** Builds the page of examples/chat with the example's own script, once for all tests: two builds at once would write the same files. */
export async function setup(): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  const script = join(chatFolder, 'build.ts');
  await promisify(execFile)(process.execPath, ['--import', 'tsx', script], { cwd: root });
}
