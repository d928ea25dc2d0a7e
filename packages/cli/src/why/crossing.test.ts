import { defineAgent, defineRun, memoryEngine, type Termination, terminations } from 'fullstop';
import type { Charge } from 'fullstop/engine';
import { scriptedModel } from 'fullstop/testing';
import { describe, expect, it } from 'vitest';
import { unitTree } from '../journal/unit-tree.js';
import { crossing } from './crossing.js';
import { explainRun } from './explain-run.js';
import { recordOf } from './records.fixture.js';

/** The sentences about a run with a free step, two units that each spend something, and a step after them. */
async function becauseOf(limits: { costUsd?: number; tokens?: number }, last: Charge): Promise<readonly string[]> {
  const engine = memoryEngine();
  const flow = defineRun({
    name: 'flow',
    limits,
    run: async (context) => {
      await context.step('set:list', () => [1, 2]);
      for (const name of ['fe[0]', 'fe[1]'])
        await context.child(name, async (unit) => {
          await unit.step('ask', ({ charge }) => charge({ outputTokens: 10, costUsd: 0.01 }));
          await unit.step('note', () => name);
          return terminations.naturalEnd();
        });
      await context.step('sum', ({ charge }) => charge(last));
      await context.step('more', () => undefined);
      return terminations.naturalEnd();
    },
  });
  await flow.run(undefined, { engine, runId: 'r' });
  return explainRun(await recordOf(engine, 'r')).because;
}

describe('the sentence about a budget', () => {
  it.each([
    ['cost', { costUsd: 0.02 }, 'fe[1] brought the cost to $0.02; the limit is $0.02'],
    ['tokens', { tokens: 15 }, 'fe[1] brought the total to 20 tokens; the limit is 15'],
  ])('names the unit inside that spent last, and no step that was free: %s', async (_, limits, sentence) => {
    expect(await becauseOf(limits, {})).toEqual([sentence]);
  });

  it('names a step of the run itself where that spent last', async () => {
    const because = await becauseOf({ costUsd: 0.05 }, { outputTokens: 1, costUsd: 0.03 });
    expect(because).toEqual(['step sum brought the cost to $0.05; the limit is $0.05']);
  });

  it('counts no tokens as cost, where a call has no price', async () => {
    const because = await becauseOf({ costUsd: 0.02 }, { outputTokens: 5 });
    expect(because).toEqual(['fe[1] brought the cost to $0.02; the limit is $0.02']);
  });
});

describe('the sentence about a time limit', () => {
  it('names what was done last, also inside a unit', async () => {
    const engine = memoryEngine();
    const flow = defineRun({
      name: 'flow',
      run: async (context) => {
        await context.step('set:list', () => 1);
        await context.child('fe[0]', async (unit) => {
          await unit.step('ask', () => 1);
          return terminations.naturalEnd();
        });
        return terminations.naturalEnd();
      },
    });
    await flow.run(undefined, { engine, runId: 'r' });
    const { journal } = await recordOf(engine, 'r');
    const limit = { kind: 'time_budget', limitMs: 1000, elapsedMs: 1000, scope: 'run' } as Termination<'time_budget'>;
    expect(crossing(limit, unitTree(journal))).toEqual(['the run had taken 1 s of 1 s when fe[0] was done']);
  });
});

describe('the sentence about an answer that is no JSON', () => {
  it('says so once', async () => {
    const engine = memoryEngine();
    const model = scriptedModel([{ text: 'no json' }, { text: '{}' }]);
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
    const agent = defineAgent({ name: 'a', model, output: { jsonSchema: schema } as never, repair: false });
    await agent.run('go', { engine, runId: 'text' });
    expect(explainRun(await recordOf(engine, 'text')).because).toEqual(['the answer is not JSON']);
  });

  it('keeps what a schema says about an answer as a whole', () => {
    const violations = [{ path: '', message: 'must be an object' }];
    const ending = { kind: 'structured_output_exhausted', attempts: 2, violations } as const;
    expect(crossing(ending, unitTree([]))).toEqual(['the answer must be an object']);
  });
});
