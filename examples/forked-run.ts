import { defineAgent, maxIterations, memoryEngine } from 'fullstop';
import { fork, forkPoints } from 'fullstop/journal';
import { scriptedModel } from 'fullstop/testing';

// What it says follows from the conversation alone, so that a fork can ask it too.
const model = scriptedModel(({ options: { prompt } }) => {
  const results = prompt.filter(({ role }) => role === 'tool').length;
  return results < 3 ? { toolCalls: [{ tool: 'read', input: { page: results + 1 } }] } : { text: 'Three pages read.' };
});
const read = {
  description: 'Reads a page',
  execute: ({ page }: { readonly page: number }) => {
    console.log(`reading page ${page}`);
    return `page ${page}`;
  },
};
const agent = defineAgent({ name: 'reader', model, tools: { read }, stopWhen: [maxIterations(2)] });

const engine = memoryEngine();
const { runId, termination } = await agent.run('Read it all', { engine });
console.log(termination);

// A new run that has done what the other did up to an entry; the other stays as it is.
const points = forkPoints(await engine.journal(runId)).filter(({ possible }) => possible);
const copy = await fork(engine, runId, { at: points.at(-1)?.seq ?? 1 });
const result = await agent.resume(copy.runId, { engine, stopWhen: [maxIterations(5)] });
console.log(result.termination, result.text);
