import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import { continueOnFailure, fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending } from './runnable.fixture.js';

const work = () => 1;
const p = pipeline('p');
const loop = ending({ termination: terminations.maxIterations({ limit: 1, used: 1, unit: 'iteration' }) });

describe('options that cannot be meant are refused', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['a pipeline without a name', () => pipeline(''), /name.*not empty/],
    ['a pipeline', () => pipeline('p', { limit: { tokens: 1 } } as never), /did you mean "limits"/],
    ['secrets', () => pipeline('p', { secrets: { KEY: 'value' } as never }), /createSecrets/],
    ['gate', () => pipeline('p', { gate: 'x' as never }), /gate.*must be a function/],
    ['input', () => pipeline('p', { input: {} as never }), /Standard Schema/],
    ['no work', () => p.stage('a', undefined as never), /"a" has .* as its work/],
    [
      'a bare definition',
      () => p.stage('a', ending({ termination: terminations.naturalEnd() }) as never),
      /using\(definition/,
    ],
    ['disposition', () => p.stage('a', work, { disposition: 'continue' as never }), /"abort" or "advisory"/],
    ['a stage', () => p.stage('a', work, { onComplete: () => null } as never), /did you mean "onCompleted"/],
    ['skip', () => p.stage('a', work, { skip: true as never }), /skip.*must be a function/],
    ['a phase', () => p.phase('x', (phase) => phase.stage('a', work), { limit: {} } as never), /"limits"/],
    ['a definition that could be executed', () => p.stage('a', pipeline('q') as never), /using\(definition/],
    ['the name of a stage', () => p.stage(5 as never, work), /The stage 5 needs another name: a text/],
    ['a name that objects treat in their own way', () => p.stage('__proto__', work), /not "input" or "__proto__"/],
    ['the name of a phase', () => p.phase({} as never, (phase) => phase), /The phase {} needs another name/],
    ['a phase without a callback', () => p.phase('x', undefined as never), /must return the phase/],
    ['no schema', () => pipeline('p', { input: null as never }), /input is null; it must be a Standard Schema/],
    ['customTags', () => pipeline('p', { customTags: 'quiet' as never }), /customTags is "quiet"/],
    ['terminations', () => pipeline('p', { terminations: [5] as never }), /list of what defineTermination/],
    ['using nothing', () => using(undefined as never, () => 1), /using is nothing; it must be an agent, a pipeline/],
    ['using a function', () => using(work as never, () => 1), /using is a function/],
    ['using without an input', () => using(loop, 'go' as never), /using\(loop\): input is "go"; it must be a function/],
    ['timeout around nothing', () => timeout(undefined as never, '1s'), /timeout has nothing as its work/],
    ['timeout around a definition', () => timeout(loop as never, '1s'), /timeout has an object.*using\(definition/],
    ['retry around a definition', () => retry(p as never), /retry has an object.*using\(definition/],
    ['fallback to nothing', () => fallback(work, undefined as never), /fallback has nothing/],
    ['continueOnFailure around a number', () => continueOnFailure(5 as never), /continueOnFailure has 5/],
    ['when of retry', () => retry(work, { when: 'failed' as never }), /retry: when is "failed"; it must be a function/],
    ['when of fallback', () => fallback(work, work, { when: true as never }), /fallback: when is true/],
    ['a phase without stages', () => p.phase('x', () => undefined as never), /must return the phase/],
    ['retry', () => retry(work, { attempt: 2 } as never), /did you mean "attempts"/],
    ['fallback', () => fallback(work, work, { wen: () => true } as never), /did you mean "when"/],
  ])('%s', (_, define, message) => {
    expect(define).toThrow(message);
    expect(define).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  it.each([
    ['a pipeline', () => pipeline('p', { limits: { steps: 3 } as never })],
    ['a phase', () => p.phase('x', (phase) => phase.stage('a', work), { limits: { steps: 3 } as never })],
  ])('a limit of steps for %s, which takes steps of its own', (_, define) => {
    expect(define).toThrow(
      expect.objectContaining({ code: 'INVALID_LIMIT', message: expect.stringContaining('only a single stage') }),
    );
  });

  it.each<[object | null, RegExp]>([
    [null, /resume is null/],
    [{ guidence: 'x' }, /did you mean "guidance"/],
    [{ stopWhen: 5 }, /stopWhen is 5; it must be a condition, such as maxIterations\(20\), or a list/],
    [{ without: 'max_iterations' }, /without is "max_iterations"/],
    [{ guidance: 5 }, /guidance is 5/],
    [{ note: 5 }, /note is 5/],
  ])('options of a resume: %j', async (options, message) => {
    const ended = await p
      .stage(
        'a',
        using(loop, () => 1),
      )
      .run();
    await expect(ended.resume(options as never)).rejects.toThrow(message);
  });

  it('a word for an agent where the run ended in none', async () => {
    const rejected = await pipeline('p', { gate: () => 'not yet' })
      .stage('a', work)
      .run();
    await expect(rejected.resume({ guidance: 'try harder' })).rejects.toThrow(
      /guidance is for an agent or a convergence.*at: 'path'/,
    );
  });

  it('a word for an agent where a plain function failed', async () => {
    const engine = memoryEngine();
    const failing = () => {
      throw new Error('down');
    };
    const inner = pipeline('inner').phase('x', (phase) => phase.stage('b', failing, { validate: () => undefined }));
    const nested = p.stage(
      'a',
      using(inner, () => undefined),
    );
    for (const flow of [p.stage('a', failing), p.stage('a', retry(failing)), nested]) {
      const failed = await flow.run(undefined, { engine });
      const words = /resume: guidance is for an agent or a convergence, and the run did not end in one/;
      await expect(failed.resume({ guidance: 'try harder' })).rejects.toThrow(words);
      await expect(flow.resume(failed.runId, { engine, guidance: 'try harder' })).rejects.toThrow(words);
      await expect(failed.resume({ stopWhen: [maxIterations(3)] })).rejects.toThrow(/stopWhen is for an agent/);
    }
    const limited = await p.stage('a', failing).run();
    expect((await limited.resume({ stopWhen: [tokenBudget({ total: 3 })] })).segment).toBe(2);
  });

  it('no word for an agent that a plain function runs', async () => {
    const search = { toolCalls: [{ tool: 'search', input: {} }] };
    const agent = defineAgent({
      model: scriptedModel([search, { text: 'found' }]),
      tools: { search: { execute: () => 1 } },
      stopWhen: [maxIterations(1)],
    });
    const failed = await p
      .stage('a', async (_, { context }) => {
        const { termination, output } = await agent.within(context, 'go');
        if (termination.kind !== 'natural_end') throw new Error(termination.kind);
        return output;
      })
      .run();
    expect(rootCause(failed.termination)).toMatchObject({ kind: 'failed', error: { message: 'max_iterations' } });
    const again = await failed.resume({ guidance: 'try harder', stopWhen: [maxIterations(2)] });
    expect(again.output).toBe('found');
  });

  it.each(['yes', 1, undefined, Promise.resolve([])])(
    'a treatAsSuccess that says neither yes nor no is recorded and changes nothing: %o',
    async (said) => {
      const result = await p
        .stage(
          'a',
          using(loop, () => 1),
          { treatAsSuccess: () => said as never },
        )
        .run();
      expect(result.stage('a')).toMatchObject({ outcome: 'failed', termination: { kind: 'max_iterations' } });
      expect(result.stage('a').also).toMatchObject([
        { error: { message: expect.stringMatching(/^treatAsSuccess returned .*; it must return true or false\.$/) } },
      ]);
    },
  );

  it('a resume and a result without an engine', async () => {
    await expect(p.resume('r', undefined as never)).rejects.toThrow('The resume of p: engine is nothing');
    await expect(p.result('r', {} as never)).rejects.toThrow('The result of p: engine is nothing');
  });

  it.each([
    ['skip', (said: never) => p.stage('a', work, { skip: () => said })],
    ['validate', (said: never) => p.stage('a', work, { validate: () => said })],
    ['gate', (said: never) => pipeline('p', { gate: () => said }).stage('a', work)],
  ])('an answer of %s that says neither yes nor why', async (name, flow) => {
    for (const said of [true, '', ' ']) {
      const { termination, outcome } = await flow(said as never).run();
      expect(outcome).toBe('failed');
      expect(rootCause(termination)).toMatchObject({
        kind: 'failed',
        errorClass: 'configuration',
        error: { message: expect.stringContaining(`${name} returned ${JSON.stringify(said)}; it must return a text`) },
      });
    }
  });
});
