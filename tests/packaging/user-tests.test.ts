import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { root } from '../../scripts/published-packages.js';
import { execute } from './execute.js';

const project = inject('project');

const userTest = `
import { defineAgent, maxIterations } from 'fullstop';
import { everyEnding, loadRun, saveRun, scriptedModel, terminationMatchers } from 'fullstop/testing';
import { memoryEngine } from 'fullstop';
import { expect, test } from 'vitest';

expect.extend(terminationMatchers);
const agent = (model) => defineAgent({ name: 'own', model, tools: { look: { execute: () => 'seen' } }, stopWhen: [maxIterations(2)] });
const looking = () => scriptedModel([{ toolCalls: [{ tool: 'look' }] }], { exhausted: 'repeat-last' });

test('matchers', async () => {
  const result = await agent(looking()).run('go');
  expect(result).toEndWith('max_iterations', { limit: 2 });
  expect(result).toEndAs('capacity');
  expect(() => expect(result).toEndWith('natural_end')).toThrow('it ended with max_iterations, which is capacity');
});

const subject = agent(looking());
const { cases, undriven } = everyEnding(subject);
test.each(cases)('$kind', async ({ kind, run }) => {
  expect(await run()).toEndWith(kind);
});
test('every kind is there', () => {
  expect([...cases, ...undriven].map(({ kind }) => kind).sort()).toEqual([...subject.kinds].sort());
});

test('recorded runs', async () => {
  const engine = memoryEngine();
  const { runId } = await agent(looking()).run('go', { engine });
  const run = await loadRun(await saveRun(engine, runId));
  expect(run).toEndWith('max_iterations');
  expect(await run.replay(agent(scriptedModel([{ error: { message: 'asked' } }])))).toEndWith('max_iterations');
});
`;

test('a user with vitest has the matchers, every ending and recorded runs from the packed package', async () => {
  const folder = join(project, 'user-tests');
  mkdirSync(folder, { recursive: true });
  const linked = join(project, 'node_modules', 'vitest');
  if (!existsSync(linked)) symlinkSync(join(root, 'node_modules', 'vitest'), linked);
  writeFileSync(join(folder, 'own.test.mjs'), userTest);
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const printed = await execute('node', [program, 'run', '--root', folder, '--reporter=json'], folder);
  const report = JSON.parse(printed.slice(printed.indexOf('{'))) as { success: boolean; numPassedTests: number };
  expect(report.success).toBe(true);
  expect(report.numPassedTests).toBeGreaterThan(15);
});
