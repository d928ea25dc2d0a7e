import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { withEnding } from '../../packages/fullstop/src/adapters/ai-sdk/index.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/sqlite-engine.js';
import { scriptedModel } from '../../packages/fullstop/src/testing/index.js';

// A program of its own, which is to be killed: its tool answers twice, and then never again.
const [file = ''] = process.argv.slice(2);
let looked = 0;
const look = tool({
  inputSchema: z.object({ n: z.number() }),
  execute: () => {
    looked += 1;
    return looked < 3 ? `looked ${looked} times` : new Promise<string>(() => setInterval(() => undefined, 1_000));
  },
});
const answers = [1, 2, 3].map((n) => ({
  toolCalls: [{ tool: 'look', input: { n } }],
  usage: { inputTokens: 40, outputTokens: 10 },
}));
const model = scriptedModel(answers) as unknown as LanguageModel;
await withEnding(
  generateText,
  { model, tools: { look }, prompt: 'Look', stopWhen: stepCountIs(9) },
  { engine: sqliteEngine(file), runId: 'killed' },
);
