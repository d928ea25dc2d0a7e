import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countingModel } from './counting-model.js';

const root = join(import.meta.dirname, '..');

/** The functions that one part of a program called, in how many source files. */
interface Touched {
  readonly files: number;
  readonly functions: number;
  readonly names: readonly string[];
}

/**
 * Counts with V8's precise coverage, which does not depend on the load of the machine. A bundle names its sources in comments,
 * by which a function is counted to its file. Functions of Node, of zod and of the program itself do not count.
 */
const counter = `
import { Session } from 'node:inspector';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
const session = new Session();
session.connect();
const ask = (method, options) => {
  let answer;
  session.post(method, options, (error, result) => { if (error) throw error; answer = result; });
  return answer;
};
ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const sections = new Map();
const sectionOf = (url, offset) => {
  let known = sections.get(url);
  if (known === undefined) {
    const text = readFileSync(fileURLToPath(url), 'utf8');
    known = [...text.matchAll(/^\\/\\/ (\\S+\\.[cm]?[jt]s)$/gm)].map(({ index, 1: name }) => ({ index, name }));
    sections.set(url, known);
  }
  return known.findLast(({ index }) => index <= offset)?.name ?? url;
};
const take = () => {
  const called = [];
  for (const { url, functions } of ask('Profiler.takePreciseCoverage').result) {
    if (!url.startsWith('file:') || url === import.meta.url || url.includes('/zod/')) continue;
    for (const { functionName, ranges: [{ count, startOffset }] } of functions) {
      if (count > 0 && startOffset > 0) called.push(sectionOf(url, startOffset) + ' ' + functionName);
    }
  }
  return { functions: called.length, files: new Set(called.map((each) => each.split(' ')[0])).size, names: called.sort() };
};
const report = (parts) => process.stdout.write(JSON.stringify(parts));
`;

/** A model that asks for a tool so many times, then answers; \`onTool\` hears of every call. */
const scene = `
${countingModel}
let onTool = () => undefined;
const execute = async ({ n }) => { onTool(n); return { next: n + 1 }; };
/** The functions of the whole first run with one tool call, and then of one iteration of a later run. */
const countAgent = async (run) => {
  take();
  await run(1);
  const first = take();
  let iteration;
  onTool = (n) => { if (n === 3) take(); if (n === 4) iteration = take(); };
  await run(6);
  report({ first, iteration });
};
`;

const agentProgram = `${counter}${scene}
const { defineAgent, maxIterations } = await import('fullstop');
await countAgent(async (calls) => {
  const agent = defineAgent({
    model: countingModel('v3', calls),
    tools: { step: { description: 'Counts', inputSchema, execute } },
    stopWhen: [maxIterations(calls + 2)],
  });
  const { termination, toolCalls } = await agent.run('go');
  if (termination.kind !== 'natural_end' || toolCalls.length !== calls) throw new Error('It ended as ' + termination.kind);
});
`;

const peerProgram = `${counter}${scene}
const { generateText, stepCountIs, tool } = await import('ai');
await countAgent(async (calls) => {
  const step = tool({ description: 'Counts', inputSchema, execute });
  const { steps } = await generateText({ model: countingModel('v3', calls), tools: { step }, prompt: 'go', stopWhen: stepCountIs(calls + 2) });
  if (steps.length !== calls + 1) throw new Error('It made ' + steps.length + ' steps');
});
`;

const stepProgram = `${counter}
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
const { defineRun, terminations } = await import('fullstop');
const { sqliteEngine } = await import('fullstop/engines/sqlite');
const countStep = async (engine) => {
  let step;
  const stepper = defineRun({
    name: 'stepper',
    run: async (context) => {
      for (let index = 0; index < 8; index += 1) {
        await context.step('work', async () => index);
        if (index === 6) step = take();
        else take();
      }
      return terminations.naturalEnd();
    },
  });
  const { termination } = await stepper.run(undefined, { engine });
  if (termination.kind !== 'natural_end') throw new Error('It ended as ' + termination.kind);
  return step;
};
const memory = await countStep(undefined);
const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
const engine = sqliteEngine(join(folder, 'runs.db'));
const sqlite = await countStep(engine);
await engine.close();
rmSync(folder, { recursive: true });
report({ memory, sqlite });
`;

/** Functions and files that one step and one iteration call: what a fresh process has to compile. */
export function benchFunctions(): void {
  console.log('\nfunctions: called by one part of a program, and the source files that they are in (V8 coverage)');
  const { memory, sqlite } = countIn('step', stepProgram);
  const own = countIn('agent', agentProgram);
  const peer = countIn('generate-text', peerProgram);
  show('one step in a body, memory', memory);
  show('one step in a body, SQLite', sqlite);
  show('one iteration of an agent', own['iteration']);
  show('first run, one tool call', own['first']);
  show('ai generateText, iteration', peer['iteration']);
  show('ai generateText, first run', peer['first']);
}

function countIn(name: string, program: string): Readonly<Record<string, Touched>> {
  const folder = join(root, '.cache/functions');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, program);
  return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' })) as Readonly<Record<string, Touched>>;
}

function show(name: string, touched: Touched | undefined): void {
  if (touched === undefined) throw new Error(`Nothing was counted for ${name}.`);
  console.log(`  ${name.padEnd(28)} ${String(touched.functions).padStart(5)} functions in ${touched.files} files`);
  if (process.env['FUNCTIONS_LISTED'] !== undefined) for (const each of touched.names) console.log(`      ${each}`);
}
