import { join } from 'node:path';
import { defineAgent, maxIterations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';

/** A long loop of small steps: some `entries` in its journal. */
export async function addLongRun(folder: string, entries: number): Promise<void> {
  const engine = sqliteEngine(join(folder, '.fullstop/runs.db'));
  const count = Math.round(entries / 5);
  const search = {
    description: 'Searches',
    inputSchema: { type: 'object' as const, properties: { page: { type: 'number' as const } } },
    execute: async () => ({ hits: [] }),
  };
  const answers = Array.from({ length: count }, (_, page) => ({
    text: `page ${page}`,
    toolCalls: [{ tool: 'search', input: { page } }],
    usage: { inputTokens: 90, outputTokens: 4 },
  }));
  const agent = defineAgent({
    name: 'long-search',
    model: scriptedModel(answers),
    tools: { search },
    stopWhen: [maxIterations(count - 1)],
    prices: { scripted: { inputPerMillion: 1, outputPerMillion: 2 } },
  } as never) as unknown as { run(input: string, options: object): Promise<unknown> };
  try {
    await agent.run('search', { engine, runId: 'r_long' });
  } finally {
    await engine.close();
  }
}
