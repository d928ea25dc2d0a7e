/** Installs the contenders that the repository itself does not need, in the exact versions of their lock files: `npm run bench:install`. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installSet } from '../tests/adapters/install.js';

for (const set of ['openai-agents', 'langgraph', 'mastra'] as const) {
  console.log(`Installing ${set}`);
  await installSet(set);
}
console.log('Installing ai 7 and the Node that it needs');
const cwd = join(import.meta.dirname, 'contenders/ai-7');
execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' });
