import { approve, defineAgent, maxIterations, memoryEngine, requireApproval } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const deploy = {
  description: 'Deploys a version',
  inputSchema: z.object({ version: z.string() }),
  execute: async ({ version }: { version: string }) => {
    console.log(`deploys ${version}`);
    return { deployed: version };
  },
};

const deployer = defineAgent({
  name: 'deployer',
  model: scriptedModel([
    { toolCalls: [{ tool: 'deploy', input: { version: '2.4' }, id: 'call_7' }] },
    { text: 'Version 2.4 is live.' },
  ]),
  tools: { deploy: requireApproval(deploy) },
  stopWhen: [maxIterations(30)],
});

// Any engine will do; with SQLite the second half may run days later in another process.
const engine = memoryEngine();
const first = await deployer.run('Ship 2.4', { engine, runId: 'ship-2.4' });
console.log(first.termination);
console.log(first.nextAction);

const second = await deployer.resume('ship-2.4', { engine, answers: { call_7: approve({ by: 'maria' }) } });
console.log(second.termination, second.text);
