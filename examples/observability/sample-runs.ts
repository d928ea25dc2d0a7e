import { defineAgent, maxIterations } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { pipeline, using } from 'fullstop/pipeline';
import { scriptedModel } from 'fullstop/testing';

const search = { toolCalls: [{ tool: 'search', input: {} }], usage: { inputTokens: 800, outputTokens: 40 } };
const tools = { search: { inputSchema: { type: 'object' }, execute: async () => ['a page'] } };

/** An article that succeeds, reaches a limit or fails, depending on `ending`. */
function article(ending: 'good' | 'limit' | 'broken') {
  const answers = ending === 'limit' ? [search, search, search] : [search, { text: 'a draft', usage: search.usage }];
  const writer = defineAgent({ name: 'writer', model: scriptedModel(answers), tools, stopWhen: [maxIterations(3)] });
  return pipeline('article')
    .stage('research', () => ['a source'])
    .phase('writing', (phase) =>
      phase.stage(
        'draft',
        using(writer, ({ research }) => `Write about ${research.output.join()}`),
      ),
    )
    .stage('publish', ({ draft }) => {
      if (ending === 'broken') throw new Error('the printer is on fire');
      return draft.output;
    });
}

/** Some runs, with different endings. */
export async function sampleRuns(engine: Engine): Promise<void> {
  for (const ending of ['good', 'good', 'limit', 'broken'] as const) await article(ending).run(undefined, { engine });
}
