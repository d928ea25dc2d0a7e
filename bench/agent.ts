import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import {
  type AgentOptions,
  consecutiveErrors,
  consecutiveMistakes,
  defineAgent,
  loopDetection,
  maxIterations,
  maxToolCalls,
  noProgress,
  stallDetection,
  tokenBudget,
} from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { z } from 'zod';

const sizes = [50, 200, 800, 3_200, 12_800] as const;
const rounds = 7;
const peerSize = 200;
/** Steps that either loop makes at a size before it is timed there: what is done once per run has to be compiled code too. */
const warmUpSteps = 40_000;
/** Steps that are timed at a size at least: seven short runs are less than a millisecond, and none may miss the collector. */
const timedSteps = 20_000;

type Loop = (calls: number) => Promise<void>;

interface CallOptions {
  readonly prompt: readonly unknown[];
}

const inputSchema = z.object({ n: z.number() });
const execute = async ({ n }: z.infer<typeof inputSchema>) => ({ next: n + 1 });
const step = tool({ description: 'Counts', inputSchema, execute });

/** Asks for the tool so many times, then answers; the count differs every time, so that no detector fires. */
function countingModel(calls: number) {
  let made = 0;
  const answer = (content: readonly object[], finish: string) => ({
    content,
    finishReason: { unified: finish, raw: finish },
    usage: {
      inputTokens: { total: 100 + (made % 7) * 40, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 10 + (made % 5) * 30, text: undefined, reasoning: undefined },
    },
    warnings: [],
  });
  return {
    specificationVersion: 'v3' as const,
    provider: 'bench',
    modelId: 'counting',
    supportedUrls: {},
    async doGenerate(_options: CallOptions) {
      if (made === calls) return answer([{ type: 'text', text: 'done' }], 'stop');
      made += 1;
      const input = JSON.stringify({ n: made });
      return answer([{ type: 'tool-call', toolCallId: `call_${made}`, toolName: 'step', input }], 'tool-calls');
    },
    doStream(): never {
      throw new Error('nobody streams here');
    },
  };
}

/** The least that makes the same calls: it asks the model, checks the arguments, calls the tool, and keeps the conversation. */
async function bareLoop(calls: number): Promise<void> {
  const model = countingModel(calls);
  const messages: object[] = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
  for (;;) {
    const { content } = await model.doGenerate({ prompt: messages });
    messages.push({ role: 'assistant', content });
    const [part] = content as readonly { readonly type: string; readonly toolCallId: string; readonly input: string }[];
    if (part?.type !== 'tool-call') return;
    const value = await execute(inputSchema.parse(JSON.parse(part.input)));
    const { toolCallId } = part;
    messages.push({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName: 'step', output: { type: 'json', value } }],
    });
  }
}

async function agentLoop(calls: number, more: Pick<AgentOptions, 'prepareStep'> = {}): Promise<void> {
  const agent = defineAgent({
    ...more,
    model: countingModel(calls) as unknown as AgentOptions['model'],
    tools: { step },
    stopWhen: [
      maxIterations(calls + 2),
      maxToolCalls(calls + 2),
      tokenBudget({ total: 1_000_000_000 }),
      loopDetection(),
      stallDetection(),
      noProgress(3),
      consecutiveErrors(3),
      consecutiveMistakes(3),
    ],
  });
  const result = await agent.run('go');
  if (result.termination.kind !== 'natural_end' || result.toolCalls.length !== calls) {
    throw new Error(`the agent ended as ${result.termination.kind} after ${result.toolCalls.length} calls`);
  }
}

const plainLoop: Loop = (calls) => agentLoop(calls);

/** The same loop, in which every call is prepared: with its tools and settings, as a product that routes its steps does it. */
function preparedLoop(calls: number): Promise<void> {
  return agentLoop(calls, {
    prepareStep: ({ modelCall }) => ({ activeTools: ['step'], settings: { temperature: modelCall % 2 } }),
  });
}

const resultSizes = [100, 10_000, 100_000] as const;
const storedSteps = 40;
const turns = 21;

/** An agent whose every step is durable, with tool results of a size. */
async function storedLoop(engine: Engine, bytes: number): Promise<void> {
  const text = 'x'.repeat(bytes);
  const agent = defineAgent({
    model: countingModel(storedSteps) as unknown as AgentOptions['model'],
    // Each result is another one: equal long values are stored once.
    tools: { step: { inputSchema, execute: ({ n }: z.infer<typeof inputSchema>) => ({ text: `${n} ${text}` }) } },
    stopWhen: [maxIterations(storedSteps + 2), loopDetection(), noProgress(3)],
  });
  const { termination } = await agent.run('go', { engine });
  if (termination.kind !== 'natural_end') throw new Error(`the agent ended as ${termination.kind}`);
}

/** The minimum cost of writing and hashing a result, in microseconds. */
function bareStore(bytes: number): number {
  const result = { text: 'x'.repeat(bytes) };
  let shortest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 200; round += 1) {
    const start = performance.now();
    createHash('sha256').update(JSON.stringify(result)).digest();
    shortest = Math.min(shortest, (performance.now() - start) * 1000);
  }
  return shortest;
}

async function leastProcessorTime(loop: () => Promise<void>, steps: number, count: number = rounds): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < count; round += 1) {
    const before = process.cpuUsage();
    await loop();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / steps);
  }
  return least;
}

interface BareDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown };
  close(): void;
}

const Libsql = createRequire(import.meta.url)('libsql') as new (file: string) => BareDatabase;

/** The processor time of SQLite itself for a row with such a text and its commit, in microseconds. */
async function bareInsert(folder: string, bytes: number): Promise<number> {
  const database = new Libsql(join(folder, `bare-${bytes}.db`));
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL']) database.exec(`PRAGMA ${pragma}`);
  database.exec('CREATE TABLE journal (id INTEGER PRIMARY KEY, data TEXT)');
  const insert = database.prepare('INSERT INTO journal (data) VALUES (?)');
  const text = JSON.stringify({ text: 'x'.repeat(bytes) });
  const insertAll = async (): Promise<void> => {
    for (let row = 0; row < storedSteps; row += 1) insert.run(text);
  };
  const least = await leastProcessorTime(insertAll, storedSteps);
  database.close();
  return least;
}

async function benchStored(): Promise<void> {
  // Processor time, because most of the wall time is the disk's.
  console.log(
    `\nagent on SQLite: ${storedSteps} durable steps by the size of the tool results (best of ${turns}, processor time)`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  const engine = sqliteEngine(join(folder, 'runs.db'));
  try {
    // Compiled code is what is measured, in the first row too.
    await leastProcessorTime(() => storedLoop(engine, 1000), storedSteps);
    const steps = new Map<number, number>();
    // In turns, so that a slow phase of the machine hits all sizes alike: they are compared with each other.
    for (let turn = 0; turn < turns; turn += 1) {
      for (const bytes of resultSizes) {
        const least = await leastProcessorTime(() => storedLoop(engine, bytes), storedSteps, 1);
        steps.set(bytes, Math.min(least, steps.get(bytes) ?? least));
      }
    }
    const small = { step: 0, insert: 0 };
    for (const bytes of resultSizes) {
      const step = steps.get(bytes) ?? Number.NaN;
      const insert = await bareInsert(folder, bytes);
      const line = `  ${String(bytes).padStart(7)} B  ${shown(step)} per step`;
      if (bytes === resultSizes[0]) {
        Object.assign(small, { step, insert });
        console.log(line);
        continue;
      }
      const kilobytes = bytes / 1000;
      const all = (step - small.step) / kilobytes;
      const own = all - (insert - small.insert) / kilobytes;
      const floor = bareStore(bytes) / kilobytes;
      const ratio = `${(all / floor).toFixed(1)}x one stringify and hash, ${(own / floor).toFixed(1)}x beside a bare insert`;
      console.log(`${line}  ${all.toFixed(2)} us per KB more: ${ratio} (at most 2)`);
    }
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

async function peerLoop(calls: number): Promise<void> {
  const model = countingModel(calls) as unknown as LanguageModel;
  const { steps } = await generateText({ model, tools: { step }, prompt: 'go', stopWhen: stepCountIs(calls + 2) });
  if (steps.length !== calls + 1) throw new Error(`the peer made ${steps.length} steps`);
}

/** One model call and one tool call per step, journal and detectors on, against a bare loop and against the AI SDK. */
export async function benchAgent(): Promise<void> {
  console.log('\nagent: one model call and one tool call per step (best of many, us per step)');
  // Both loops call the same model and schema: what the first call of one undoes in the code of the other is over before the first size.
  for (const loop of [bareLoop, plainLoop]) await warmUp(loop, sizes[0]);
  let before = 0;
  for (const size of sizes) {
    for (const loop of [bareLoop, plainLoop]) await warmUp(loop, size);
    const [bare, agent] = await bestInTurns([bareLoop, plainLoop], size);
    const times = `bare ${shown(bare)}  agent ${shown(agent)}  ${(agent / bare).toFixed(1)}x`;
    console.log(`  ${String(size).padStart(6)} steps  ${times}  (${target(size, agent / before)})`);
    before = agent;
  }
  for (const loop of [peerLoop, plainLoop]) await warmUp(loop, peerSize, loop === peerLoop ? peerSize : warmUpSteps);
  const [agent] = await bestInTurns([plainLoop], peerSize);
  const [peer] = await bestInTurns([peerLoop], peerSize, rounds);
  const ratio = `${(peer / agent).toFixed(0)}x the time of the agent (at least 100)`;
  console.log(`  ${peerSize} steps: ai generateText ${shown(peer)}, agent ${shown(agent)}, ${ratio}`);
  await benchPrepared();
  await benchStored();
}

/** The cost of choosing tools and settings for every call, against the same loop without. */
async function benchPrepared(): Promise<void> {
  for (const loop of [plainLoop, preparedLoop]) await warmUp(loop, peerSize);
  const [plain, prepared] = await bestInTurns([plainLoop, preparedLoop], peerSize);
  const ratio = `${(prepared / plain).toFixed(2)}x (at most 1.3)`;
  console.log(`  ${peerSize} steps: with prepareStep ${shown(prepared)}, without ${shown(plain)}, ${ratio}`);
}

/** The target of a size; the last one is compared with the size before it. */
function target(size: number, growth: number): string {
  if (size <= 800) return 'at most 10 us and 10x';
  return size <= 3_200 ? 'at most 15 us' : `${growth.toFixed(2)}x of ${sizes[3]} steps, at most 1.5`;
}

async function warmUp(loop: Loop, size: number, steps: number = warmUpSteps): Promise<void> {
  for (let made = 0; made < steps; made += size) await loop(size);
}

function shown(microseconds: number): string {
  return `${microseconds.toFixed(2).padStart(8)} us`;
}

/** The shortest time of each loop, taken in turns, so that a slow phase of the machine hits all of them alike. */
async function bestInTurns<const TLoops extends readonly Loop[]>(
  loops: TLoops,
  calls: number,
  count: number = Math.max(rounds, Math.ceil(timedSteps / calls)),
): Promise<{ readonly [K in keyof TLoops]: number }> {
  const shortest = loops.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < count; round += 1) {
    for (const [index, loop] of loops.entries()) {
      const start = performance.now();
      await loop(calls);
      const taken = ((performance.now() - start) * 1000) / calls;
      shortest[index] = Math.min(shortest[index] ?? taken, taken);
    }
  }
  return shortest as unknown as { readonly [K in keyof TLoops]: number };
}
