import {
  agentAsTool,
  clientTool,
  contentMatch,
  createCodec,
  createRegistry,
  createSecrets,
  defineAgent,
  defineRun,
  defineTermination,
  goal,
  maxIterations,
  memoryEngine,
  requireApproval,
  rootCause,
  type StandardSchema,
  submitTool,
  terminations,
  toErrorData,
  tokenBudget,
} from 'fullstop';
import { criterion, fact, family, met, suggestor } from 'fullstop/convergence';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';
import { loadWorkflow } from 'fullstop/workflow';

// Nothing here has a type of its own, so the compiler must be able to name what it infers from the published entries.

const schema: StandardSchema<{ readonly count: number }> = {
  '~standard': { version: 1, vendor: 'consumer', validate: (value) => ({ value: value as { count: number } }) },
};

export const engine = memoryEngine();
export const durable = sqliteEngine('runs.db');
export const model = scriptedModel([{ text: 'hello' }]);
export const agent = defineAgent({ name: 'agent', model, stopWhen: [maxIterations(3), tokenBudget({ total: 1000 })] });
export const planner = defineAgent({
  name: 'planner',
  model,
  goal: goal(() => true),
  tools: { ask: agentAsTool(agent) },
});
export const structured = defineAgent({ name: 'structured', model, output: schema });
export const run = defineRun({
  name: 'run',
  run: async (context) => {
    await context.step('work', () => 1);
    return context.now() > 0 ? terminations.naturalEnd() : terminations.skipped({ reason: 'no time' });
  },
});
export const agentResult = agent.run('hello', { engine });
export const runResult = run.run(undefined, { engine });
export const stream = agent.stream('hello');
export const conditions = [maxIterations(3), contentMatch('done')];
export const tools = {
  client: clientTool({ description: 'Asks', inputSchema: schema }),
  approved: requireApproval({ execute: () => 1 }),
  submit: submitTool({ schema }),
};
export const counted = defineTermination({
  kind: 'consumer.counted',
  schema,
  family: 'completion',
  category: 'success',
});
export const registry = createRegistry([counted]);
export const codec = createCodec({ registry });
export const secrets = createSecrets({ KEY: 'value' });
export const error = toErrorData(new Error('no'));
export const cause = rootCause(terminations.naturalEnd());
export const make = terminations;
export const notes = family<{ readonly text: string }>('notes');
export const suggest = suggestor('suggest', {
  accepts: () => true,
  execute: () => [fact(notes, { text: 'one' })],
});
export const done = criterion('done', () => met());
export const workflow = loadWorkflow('workflow.yaml');
export async function answer() {
  return (await agent.run('hello')).termination;
}
