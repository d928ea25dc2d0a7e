import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from './load-framework.js';
import { setsOf } from './sets.js';

const folder = join(import.meta.dirname, '../../examples/coming-from');
const document = readFileSync(join(import.meta.dirname, '../../docs/adapters.md'), 'utf8');
const printed = {
  'openai-agents': 'MaxTurnsExceededError\nloop_detected 1 3\n',
  langgraph: 'GraphRecursionError\nloop_detected 1 3\n',
  mastra: 'tool-calls ""\nloop_detected 1 3\n',
  'claude-agent-sdk':
    'max_turns\nClaude Code returned an error result: Reached maximum number of turns (6)\nloop_detected 1 3\n',
} as const;

for (const set of setsOf(process.env['FULLSTOP_ADAPTERS'] === 'all' ? 'all' : 'usual')) {
  if (!(set in printed)) continue;
  const expected = printed[set as keyof typeof printed];
  test(`${set}: the program in the docs prints what they say`, () => {
    const program = readFileSync(join(folder, set, 'program.mjs'), 'utf8');
    expect(document).toContain(`\`\`\`js\n${program}\`\`\`\n\n\`\`\`text\n${expected}\`\`\``);
    // It runs where its framework is installed, as it would for a user.
    const place = join(cacheFolder, set, 'before-after');
    cpSync(join(folder, set), place, { recursive: true });
    expect(execFileSync(process.execPath, [join(place, 'program.mjs')], { encoding: 'utf8' })).toBe(expected);
  });
}
