/** Installs the contenders that the repository itself does not need, in the exact versions of their lock files: `npm run bench:install`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installSet } from '../tests/adapters/install.js';
import { runInstall } from '../tests/adapters/run-install.js';

/** Each takes seconds where the network is fast; one that takes longer than this hangs. */
const longestMs = 5 * 60_000;

async function installFolder(name: string): Promise<void> {
  const cwd = join(import.meta.dirname, 'contenders', name);
  const lock = readFileSync(join(cwd, 'package-lock.json'), 'utf8');
  const mark = join(cwd, 'node_modules/.installed-lock.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  // The package that brings another Node fetches it in a script of its own.
  await runInstall({ name, folder: cwd, limitMs: longestMs, command: ['npm', 'ci', '--no-audit', '--no-fund'] });
  writeFileSync(mark, lock);
}

const parts: readonly (readonly [name: string, install: () => Promise<void>])[] = [
  ...(['openai-agents', 'langgraph', 'mastra'] as const).map((set) => [set, () => installSet(set, longestMs)] as const),
  ['ai 7 and the Node that it needs', () => installFolder('ai-7')],
  ["LangGraph's SQLite checkpointer", () => installFolder('langgraph-sqlite')],
];

const failed: string[] = [];
for (const [name, install] of parts) {
  const begun = performance.now();
  try {
    await install();
    console.log(`${name}: installed after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  } catch (error) {
    failed.push(name);
    console.error(`${name}: ${(error as Error).message.trim()}`);
  }
}
if (failed.length > 0) {
  console.error(`Not installed: ${failed.join(', ')}. Their rows say so; run it again when npm reaches its registry.`);
  process.exitCode = 1;
}
