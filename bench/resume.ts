import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, maxIterations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { z } from 'zod';
import { median } from './interleave.js';

const iterations = 2_000;
const resumes = 9;
const text = 'y'.repeat(4_500);

/** How long an agent with a long history needs, as in a new process, until it calls its model again. */
export async function benchResume(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  const file = join(folder, 'long.db');
  let asked = 0;
  const agent = defineAgent({
    name: 'long',
    model: countingModel(() => {
      asked = performance.now();
    }),
    tools: {
      look: { inputSchema: z.object({ n: z.number() }), execute: async ({ n }: { n: number }) => ({ text, n }) },
    },
    stopWhen: [maxIterations(iterations)],
  });
  try {
    const writer = sqliteEngine(file);
    await agent.run('go', { engine: writer, runId: 'long' });
    const [last] = await writer.journal('long', { newest: 1 });
    await writer.close();
    const times: number[] = [];
    for (let round = 1; round <= resumes; round += 1) {
      const engine = sqliteEngine(file);
      const start = performance.now();
      await agent.resume('long', { engine, stopWhen: [maxIterations(iterations + round)] });
      times.push(asked - start);
      await engine.close();
    }
    console.log(`\nresume: an agent with ${last?.seq} entries of about 1 KB on SQLite, until it asks its model again`);
    console.log(
      `  median ${median(times).toFixed(0)} ms, best ${Math.min(...times).toFixed(0)} ms of ${resumes}, the chain verified (less than 150)`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Asks for the tool with another number each time, and says when it was asked. */
function countingModel(onCall: () => void) {
  let made = 0;
  return {
    specificationVersion: 'v3' as const,
    provider: 'bench',
    modelId: 'counting',
    supportedUrls: {},
    async doGenerate() {
      onCall();
      made += 1;
      const input = JSON.stringify({ n: made });
      return {
        content: [{ type: 'tool-call' as const, toolCallId: `call_${made}`, toolName: 'look', input }],
        finishReason: { unified: 'tool-calls' as const, raw: 'tool-calls' },
        usage: {
          inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 10, text: undefined, reasoning: undefined },
        },
        warnings: [],
      };
    },
    doStream(): never {
      throw new Error('nobody streams here');
    },
  };
}
