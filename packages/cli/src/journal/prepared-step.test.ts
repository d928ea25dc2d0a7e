import { memoryEngine, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { expect, it } from 'vitest';
import { showText } from '../render/show-text.js';
import { whyText } from '../render/why-text.js';
import { makeStyle } from '../terminal/style.js';
import { explainRun } from '../why/explain-run.js';
import { unitTree } from './unit-tree.js';

async function preparedRun() {
  const engine = memoryEngine();
  const planner = scriptedModel([{ toolCalls: [{ tool: 'search', input: {} }] }], { modelId: 'planner' });
  await runAgent({
    engine,
    runId: 'r',
    model: scriptedModel([{ text: 'done' }, { text: 'done' }]),
    tools: { search: { execute: () => 'found' }, fetch: { execute: () => 'fetched' } },
    prompt: 'go',
    prepareStep: ({ iteration }) =>
      iteration === 1
        ? { model: planner, activeTools: ['search'], toolChoice: 'required' }
        : { activeTools: [], instructions: 'Answer in one word.' },
  });
  const summary = await engine.summary('r');
  if (summary === undefined) throw new Error('There is no run.');
  return { summary, journal: await engine.journal('r'), ending: await engine.ending('r'), requests: [] };
}

const style = makeStyle(false);
const first = 'model scripted/planner · tools search · tool choice required';
const second = 'tools none · instructions Answer in one word.';

it('shows the model, tools and instructions of each prepared step', async () => {
  const record = await preparedRun();
  const text = showText(record, unitTree(record.journal), { style, columns: 100, values: false });
  expect(text.split('\n').filter((line) => line.includes('prepared'))).toEqual([
    expect.stringContaining(`prepared: ${first}`),
    expect.stringContaining(`prepared: ${second}`),
  ]);
});

it('explains them where the run ended', async () => {
  const explanation = explainRun(await preparedRun());
  expect(explanation.prepared).toEqual([`model:1 with ${first}`, `model:2 with ${second}`]);
  expect(whyText(explanation, { style, columns: 100, now: 0 })).toContain(`model:2 with ${second}`);
});
