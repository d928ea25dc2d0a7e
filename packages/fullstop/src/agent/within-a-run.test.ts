import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineRun } from '../run/define-run.js';
import { end } from '../run/ending/body-result.js';
import { stopConditionsToJson } from '../stop/condition-json.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { terminations } from '../termination/terminations.js';
import { defineAgent } from './define-agent.js';

const call = { toolCalls: [{ tool: 'find', input: {} }] };
const limit = { kind: 'max_iterations', limit: 1, used: 1, unit: 'iteration' };

function searcher() {
  const model = scriptedModel([call, call, { text: 'found' }]);
  return defineAgent({ name: 'a', model, tools: { find: { execute: () => 'x' } }, stopWhen: [maxIterations(1)] });
}

describe('a resume of a run with an agent in its body', () => {
  const stopWhen = stopConditionsToJson([maxIterations(5)]);

  it('reaches the agent that ran directly in it', async () => {
    const agent = searcher();
    const work = defineRun({ name: 'work', run: (context) => agent.within(context, 'go') });
    const first = await work.run(undefined);
    expect(first.termination).toEqual(limit);
    const second = await first.resume({ changes: { at: '', stopWhen } });
    expect(second).toMatchObject({ termination: { kind: 'natural_end' }, output: 'found' });
  });

  it('reaches one in a child where the run ended by that', async () => {
    const agent = searcher();
    const work = defineRun({
      name: 'work',
      run: async (context) => {
        const { termination, output } = await context.child('inside', (inner) => agent.within(inner, 'go'));
        const child = { name: 'inside', path: 'inside' };
        return termination.kind === 'natural_end'
          ? end(termination, output)
          : end(terminations.childFailed({ child, termination }));
      },
    });
    const first = await work.run(undefined);
    expect(first.termination).toMatchObject({ kind: 'child_failed', termination: limit });
    const second = await first.resume({ changes: { at: 'inside', stopWhen } });
    expect(second).toMatchObject({ termination: { kind: 'natural_end' }, output: 'found' });
  });
});
