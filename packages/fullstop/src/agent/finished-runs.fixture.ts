import { scriptedModel } from '../models/scripted/scripted-model.js';
import { measureFinishedRuns } from '../run/measure-finished-runs.fixture.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { defineAgent } from './define-agent.js';

/** An agent whose tool returns many small objects. */
function makeAgent() {
  return defineAgent({
    model: scriptedModel([{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'done' }]),
    tools: { list: { execute: () => Array.from({ length: 1000 }, (_, row) => ({ row })) } },
    stopWhen: [maxIterations(3)],
  });
}

const alone = await measureFinishedRuns(() => makeAgent().run('go'));
const streamed = await measureFinishedRuns(() => makeAgent().stream('go').result);
process.stdout.write(JSON.stringify({ 'run by itself': alone, 'followed by a stream': streamed }));
