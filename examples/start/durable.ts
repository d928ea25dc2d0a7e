import { mkdirSync } from 'node:fs';
import { approve, defineAgent, maxIterations, requireApproval } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const deploy = {
  description: 'Deploys a version',
  inputSchema: z.object({ version: z.string() }),
  execute: async ({ version }: { version: string }) => ({ deployed: version }),
};

const deployer = defineAgent({
  name: 'deployer',
  // What it says follows from the conversation alone, so that any process can continue it. Put your model here.
  model: scriptedModel(({ options: { prompt } }) =>
    prompt.some(({ role }) => role === 'tool')
      ? { text: 'Version 2.4 is live.' }
      : { toolCalls: [{ tool: 'deploy', input: { version: '2.4' }, id: 'deploy-2.4' }] },
  ),
  tools: { deploy: requireApproval(deploy) },
  stopWhen: [maxIterations(10)],
});

// Where the command line looks for runs.
mkdirSync('.fullstop', { recursive: true });
const engine = sqliteEngine('.fullstop/runs.db');
const result =
  process.argv[2] === 'approve'
    ? await deployer.resume('ship-2.4', { engine, answers: { 'deploy-2.4': approve({ by: 'maria' }) } })
    : await deployer.run('Ship 2.4', { engine, runId: 'ship-2.4' });
console.log(result.termination.kind, '·', result.text || result.nextAction);
await engine.close();
