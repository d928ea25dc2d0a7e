import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import type { Charge } from '../engines/port/usage.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { describe as explain } from '../termination/classify.js';
import { causeChain, rootCause } from '../termination/root-cause.js';
import { terminations } from '../termination/terminations.js';
import type { StageRun } from './machine/stage-view.js';
import { retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { withoutStack } from './runnable.fixture.js';

const policies = {
  none: {},
  limits: { limits: { tokens: 1000 } },
  validate: { validate: () => undefined, attempts: 2 },
  treatAsSuccess: { treatAsSuccess: () => false },
  onCompleted: { onCompleted: () => undefined },
  after: { after: () => undefined },
};

describe('the same throw', () => {
  const expected = {
    kind: 'failed',
    error: { name: 'Error', message: 'no' },
    origin: 'stage',
    errorClass: 'unknown',
  };

  it.each(Object.entries(policies))(
    'gives the same ending with the policy %s, and is tried again on resume',
    async (_, options) => {
      let calls = 0;
      const work = (): string => {
        calls += 1;
        if (calls === 1) throw new Error('no');
        return 'done';
      };
      const result = await pipeline('p').stage('a', work, options).run();
      expect(withoutStack(rootCause(result.termination))).toEqual(expected);
      expect(causeChain(result.termination).map(({ child }) => child.name)).toEqual(['a']);
      expect(explain(result.termination)).toBe('Stage a failed: Error: no.');
      expect((await result.resume()).stage('a')).toMatchObject({ outcome: 'succeeded', output: 'done' });
    },
  );

  it.each([
    ['timeout', timeout(() => Promise.reject(new Error('no')), '1m')],
    ['retry', retry(() => Promise.reject(new Error('no')), { attempts: 2 })],
  ])('gives the same ending inside %s', async (_, work) => {
    const result = await pipeline('p').stage('a', work, policies.limits).run();
    expect(explain(result.termination)).toBe('Stage a failed: Error: no.');
  });
});

describe('retry without options', () => {
  it('tries a plain throw again, and no defect of the program', async () => {
    let calls = 0;
    const flaky = (): number => {
      calls += 1;
      if (calls < 3) throw new Error('flaky');
      return calls;
    };
    const result = await pipeline('p').stage('a', retry(flaky)).run();
    expect(result.stage('a')).toMatchObject({ outcome: 'succeeded', output: 3 });
    expect(result.stage('a').also).toHaveLength(2);
    let defects = 0;
    const broken = (): never => {
      defects += 1;
      throw new TypeError('x is not a function');
    };
    await pipeline('p').stage('a', retry(broken)).run();
    expect(defects).toBe(1);
  });
});

describe('a termination that a stage returns', () => {
  it('is its ending, as in a run: skipped skips, halted fails', async () => {
    const flow = pipeline('p')
      .stage('a', () => terminations.skipped({ reason: 'nothing new' }))
      .stage('b', () => 1);
    const result = await flow.run();
    expect(result.stage('a')).toMatchObject({
      outcome: 'skipped',
      termination: { kind: 'skipped', reason: 'nothing new' },
    });
    expect(result.stage('a').output).toBeUndefined();
    expect(result.termination.kind).toBe('flow_completed');
    const halted = terminations.halted({ by: { type: 'hook', name: 'audit' }, reason: 'stop' });
    expect(
      rootCause(
        (
          await pipeline('p')
            .stage('a', () => halted)
            .run()
        ).termination,
      ),
    ).toEqual(halted);
  });

  it('is told from output that only looks like one', async () => {
    const result = await pipeline('p')
      .stage('a', () => ({ kind: 'skipped', page: 3 }))
      .stage('b', () => ({ kind: 'invoice' }))
      .run();
    expect(result.stages.map(({ output }) => output)).toEqual([{ kind: 'skipped', page: 3 }, { kind: 'invoice' }]);
  });
});

describe('a stage that was never reached', () => {
  it('is told from a skipped one by data, whatever reason a rule gives', async () => {
    const result = await pipeline('p')
      .stage('a', () => 1, { skip: () => 'not_reached' })
      .stage('b', () => Promise.reject(new Error('no')))
      .stage('c', () => 2)
      .run();
    expect(result.stage('a').termination).toEqual({ kind: 'skipped', reason: 'not_reached' });
    expect(result.stage('c').termination).toEqual({ kind: 'skipped', because: 'not_reached' });
    expect(explain(result.stage('c').termination)).toBe('Not reached.');
  });
});

describe('the callbacks of a stage', () => {
  const look = { execute: () => 'found' };

  it('see the whole result of an agent, after a resume too', async () => {
    const usage = { inputTokens: 10, outputTokens: 5 };
    const model = scriptedModel([
      { toolCalls: [{ tool: 'look' }], usage },
      { text: 'done', usage },
    ]);
    const agent = defineAgent({ name: 'searcher', model, tools: { look } });
    const seen: StageRun[] = [];
    let isKnown = false;
    const flow = pipeline('p').stage(
      'a',
      using(agent, () => 'go'),
      {
        onCompleted: (run) => {
          seen.push(run);
          return isKnown ? undefined : { kind: 'app.unknown' };
        },
      },
    );
    const first = await flow.run();
    isKnown = true;
    await first.resume();
    expect(seen).toHaveLength(2);
    for (const { details } of seen) {
      expect(details).toMatchObject({ text: 'done', usage: { inputTokens: 20, outputTokens: 10 } });
      expect(details?.messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(details?.toolCalls).toMatchObject([{ tool: 'look', iteration: 1, output: { value: 'found' } }]);
      expect(details?.iterations).toHaveLength(2);
    }
  });

  it('see what a plain function used', async () => {
    let usage: unknown;
    await pipeline('p')
      .stage('a', (_, { context }) => context.step('s', ({ charge }) => charge({ inputTokens: 3, outputTokens: 4 })), {
        after: ({ details }) => {
          usage = details?.usage;
        },
      })
      .run();
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  it('and whoever reads the stages see whether what was used is a guess', async () => {
    const seen: unknown[] = [];
    const charging = (name: string, charged: Charge) =>
      pipeline('p').stage(name, (_, { context }) => context.step('s', ({ charge }) => charge(charged)), {
        onCompleted: ({ details }) => void seen.push(details?.estimated),
      });
    const guessed = await charging('guessed', { inputTokens: 3, estimated: true }).run();
    const known = await charging('known', { inputTokens: 3 }).run();
    expect(seen).toEqual([true, undefined]);
    expect(guessed.stages[0]?.estimated).toBe(true);
    expect(known.stages[0]).not.toHaveProperty('estimated');
    const model = scriptedModel([{ text: 'done' }]);
    const silent: LanguageModel = Object.assign(Object.create(model) as LanguageModel, {
      doGenerate: async (options: never) => ({ ...((await model.doGenerate(options)) as object), usage: {} }),
    });
    const agent = defineAgent({ name: 'silent', model: silent });
    const ofAgent = await pipeline('p')
      .stage(
        'a',
        using(agent, () => 'go'),
        { after: ({ details }) => void seen.push(details?.estimated) },
      )
      .run();
    expect(seen.at(-1)).toBe(true);
    expect(ofAgent.stages[0]?.estimated).toBe(true);
  });
});
