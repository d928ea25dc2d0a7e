import { beforeAll, describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { category } from '../../termination/classify.js';
import { samples } from '../../termination/samples.fixture.js';
import { terminations } from '../../termination/terminations.js';
import { terminationMatchers } from './termination-matchers.js';

beforeAll(() => expect.extend(terminationMatchers));

const echo = { execute: (input: object) => input };

async function limitedRun() {
  const model = scriptedModel([{ toolCalls: [{ tool: 'echo' }] }], { exhausted: 'repeat-last' });
  const agent = defineAgent({ model, tools: { echo }, stopWhen: [maxIterations(2)] });
  return await agent.run('go', { runId: 'run-7' });
}

describe('toEndWith', () => {
  it('reads results, their envelopes in JSON, and terminations', async () => {
    const result = await limitedRun();
    expect(result).toEndWith('max_iterations');
    expect(result).toEndWith('max_iterations', { limit: 2 });
    expect(result.termination).toEndWith('max_iterations', { limit: 2, used: 2, unit: 'iteration' });
    const { journal: _journal, resume: _resume, ...envelope } = result;
    expect(JSON.parse(JSON.stringify(envelope))).toEndWith('max_iterations', { limit: 2 });
    expect(result).not.toEndWith('natural_end');
    expect(result).not.toEndWith('max_iterations', { limit: 3 });
    await expect(limitedRun()).resolves.toEndWith('max_iterations', { limit: 2 });
  });

  it('accepts matchers of the framework inside the evidence, at any depth', () => {
    const failed = terminations.failed({
      error: { name: 'Error', message: 'no room' },
      origin: 'tool',
      errorClass: 'unknown',
    });
    expect(failed).toEndWith('failed', { error: { message: expect.stringContaining('room') } });
    expect(failed).not.toEndWith('failed', { error: { message: expect.stringContaining('time') } });
    const met = terminations.criteriaMet({ criteria: ['tests', 'lint'] });
    expect(met).toEndWith('criteria_met', { criteria: ['tests', 'lint'] });
    expect(met).not.toEndWith('criteria_met', { criteria: ['tests'] });
  });

  it('shows kind, category, evidence and summary when it fails', async () => {
    const result = await limitedRun();
    expect(() => expect(result).toEndWith('time_budget', { limitMs: 10 })).toThrow(
      [
        'Expected run-7 to end with time_budget {"limitMs":10}, but it ended with max_iterations, which is capacity.',
        '',
        'evidence: {"limit":2,"used":2,"unit":"iteration"}',
        `summary:  ${result.summary}`,
      ].join('\n'),
    );
    expect(() => expect(result).toEndWith('max_iterations', { limit: 2, used: 3 })).toThrow('\ndiffers:  used\n');
    expect(() => expect(result).not.toEndWith('max_iterations')).toThrow(
      'Expected run-7 not to end with max_iterations',
    );
  });

  it('names the causes that lost', () => {
    const { pass, message } = terminationMatchers.toEndWith(
      { termination: { kind: 'natural_end' }, also: [{ kind: 'max_iterations' }], category: 'success' },
      'max_iterations',
    );
    expect(pass).toBe(false);
    expect(message()).toContain('also:     max_iterations');
  });

  it.each([
    ['nothing', undefined, 'undefined has no ending'],
    ['a text', 'natural_end', '"natural_end" has no ending'],
    ['another object', { text: 'done' }, 'an object with text has no ending'],
    ['a promise', Promise.resolve(), 'await it, or write expect(promise).resolves'],
  ])('refuses %s, also after not', (_name, received, message) => {
    expect(() => expect(received as unknown).toEndWith('natural_end')).toThrow(message);
    expect(() => expect(received as unknown).not.toEndWith('natural_end')).toThrow(message);
  });
});

describe('toEndAs', () => {
  it('agrees with the category of every kind', () => {
    for (const sample of Object.values(samples)) {
      const { pass, message } = terminationMatchers.toEndAs(sample, category(sample));
      expect(pass, sample.kind).toBe(true);
      expect(message()).toContain(`not to end as ${category(sample)}`);
    }
  });

  it('reads the stages of a pipeline', async () => {
    const { stages } = await pipeline('two')
      .stage('first', () => 'done')
      .stage('second', () => Promise.reject(new Error('broken')))
      .run(undefined);
    expect(stages.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(stages[0]).toEndAs('success');
    expect(stages[1]).toEndAs('fatal');
    expect(() => expect(stages[1]).toEndAs('success')).toThrow('Expected second to end as success, but it ended with');
  });

  it('uses the category that a result carries, and asks for it where a bare termination has none', () => {
    const envelope = { termination: { kind: 'app.reconciled' }, category: 'success', summary: 'Reconciled.' };
    expect(envelope).toEndAs('success');
    const bare = { kind: 'app.reconciled' };
    const around = { kind: 'child_failed', child: { name: 'books', path: 'books#1' }, termination: bare };
    for (const each of [bare, around])
      expect(() => expect(each).toEndAs('success')).toThrow('pass the result or the envelope');
  });

  it('refuses a category that does not exist', () => {
    expect(() => expect({ kind: 'natural_end' }).toEndAs('sucess' as never)).toThrow('there is no such category');
  });
});
