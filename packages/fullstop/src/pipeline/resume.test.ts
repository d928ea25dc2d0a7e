import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { approve } from '../agent/options/directive.js';
import { requireApproval } from '../agent/tools/tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { openEngine, temporaryFile } from '../engines/sqlite/engine.fixture.js';
import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { rootCause } from '../termination/root-cause.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import { ownerAfterOwner } from './owner-after-owner.fixture.js';
import { timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { blocked } from './runnable.fixture.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const search = { toolCalls: [{ tool: 'search', input: {} }], usage };

function searcher(limit: number, answers = [search, search, search, { text: 'found', usage }]) {
  let searches = 0;
  const agent = defineAgent({
    name: 'searcher',
    model: scriptedModel(answers),
    tools: {
      search: {
        inputSchema: { type: 'object' },
        execute: () => {
          searches += 1;
          return `hit ${searches}`;
        },
      },
    },
    stopWhen: [maxIterations(limit)],
  });
  return { agent, searches: () => searches };
}

describe('a pipeline continues where it stopped', () => {
  it('at the failed stage: finished stages are kept, a function runs again', async () => {
    let [collected, ready] = [0, false];
    const flow = pipeline('p')
      .stage('collect', () => {
        collected += 1;
        return collected;
      })
      .phase('work', (phase) =>
        phase.stage('send', ({ collect }) => {
          if (!ready) throw new Error('down');
          return `sent ${collect.output}`;
        }),
      )
      .stage('report', ({ send }) => send.output);
    const engine = memoryEngine();
    const first = await flow.run(undefined, { engine, runId: 'r' });
    expect(rootCause(first.termination)).toMatchObject({ kind: 'failed', origin: 'stage', error: { message: 'down' } });
    ready = true;
    const second = await flow.resume('r', { engine });
    expect(second).toMatchObject({ segment: 2, outcome: 'succeeded', output: 'sent 1' });
    expect(collected).toBe(1);
    expect(second.stages.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    await expect(flow.resume('r', { engine })).rejects.toMatchObject({ code: 'RUN_CLOSED' });
  });

  it('inside an agent that reached its limit, with a larger one: no call is repeated', async () => {
    for (const policy of [{}, { onCompleted: () => undefined }, { limits: { tokens: 1000 } }]) {
      const { agent, searches } = searcher(2);
      const flow = pipeline('p')
        .stage(
          'find',
          using(agent, () => 'go'),
          policy,
        )
        .stage('use', ({ find }) => find.output.toUpperCase());
      const first = await flow.run();
      expect(first.stage('find')).toMatchObject({
        outcome: 'failed',
        termination: { kind: 'max_iterations', limit: 2, used: 2 },
      });
      expect(searches()).toBe(2);
      const second = await first.resume({ stopWhen: [maxIterations(9)] });
      expect(second).toMatchObject({ outcome: 'succeeded', output: 'FOUND', usage: { totalTokens: 80 } });
      expect(searches()).toBe(3);
    }
  });

  it('inside an agent under a decorator, whose ending the stage had replaced', async () => {
    const { agent, searches } = searcher(2);
    const flow = pipeline('p', { terminations: [blocked] }).stage(
      'find',
      timeout(
        using(agent, () => 'go'),
        '1h',
      ),
      {
        onCompleted: ({ outcome }) => (outcome === 'succeeded' ? undefined : blocked({ by: 'limit' })),
      },
    );
    const first = await flow.run();
    expect(first.stage('find')).toMatchObject({
      termination: { kind: 'billing.blocked' },
      executor: { name: 'searcher', termination: { kind: 'max_iterations' } },
    });
    const second = await first.resume({ stopWhen: [maxIterations(9)] });
    expect(second).toMatchObject({ outcome: 'succeeded', output: 'found' });
    expect(second.stage('find').termination).toEqual({ kind: 'natural_end' });
    expect(searches()).toBe(3);
  });

  it('inside an agent over its token budget', async () => {
    const { agent } = searcher(9);
    const frugal = defineAgent({
      name: 'frugal',
      model: scriptedModel([search, search, { text: 'found', usage }]),
      tools: { search: { inputSchema: { type: 'object' }, execute: () => 'hit' } },
      stopWhen: [tokenBudget({ total: 30 })],
    });
    expect(agent.kinds).toContain('max_iterations');
    const first = await pipeline('p')
      .stage(
        'find',
        using(frugal, () => 'go'),
      )
      .run();
    expect(rootCause(first.termination)).toMatchObject({ kind: 'token_budget', limit: 30 });
    const second = await first.resume({ stopWhen: [tokenBudget({ total: 500 })] });
    expect(second.output).toBe('found');
  });

  it('when a person has answered, days later, with another engine object and definition', async () => {
    let sent = 0;
    const define = () => {
      const model = scriptedModel([{ toolCalls: [{ tool: 'send', input: {}, id: 'c1' }] }, { text: 'sent' }]);
      const agent = defineAgent({
        name: 'sender',
        model,
        tools: { send: requireApproval({ execute: () => (sent += 1) }) },
      });
      return {
        model,
        flow: pipeline('p')
          .stage('first', () => 1)
          .stage(
            'send',
            using(agent, () => 'go'),
            { after: () => undefined },
          )
          .stage('last', ({ send }) => send.output),
      };
    };
    const engine = memoryEngine();
    const { flow } = define();
    const paused = await flow.run(undefined, { engine, runId: 'r' });
    expect(paused).toMatchObject({ outcome: 'paused', category: 'paused' });
    expect(paused.stages.map(({ outcome }) => outcome)).toEqual(['succeeded', 'paused', 'skipped']);
    const [request] = paused.termination.kind === 'interaction_pending' ? paused.termination.requests : [];
    const done = await flow.resume('r', { engine, answers: { [request?.id ?? '']: approve({ by: 'maria' }) } });
    expect(done).toMatchObject({ outcome: 'succeeded', output: 'sent' });
    expect(sent).toBe(1);
  });

  it('after a crash at any commit, in another worker, without repeating a stage that was committed', async () => {
    for (let nth = 1; nth <= 12; nth += 1) {
      const runs: string[] = [];
      const flow = pipeline('p')
        .stage('a', () => {
          runs.push('a');
          return 'a';
        })
        .stage(
          'b',
          ({ a }) => {
            runs.push('b');
            return `${a.output}b`;
          },
          { onCompleted: () => undefined },
        )
        .phase('x', (phase) =>
          phase.stage('c', ({ b }) => {
            runs.push('c');
            return `${b.output}c`;
          }),
        )
        .stage('d', ({ c }) => {
          runs.push('d');
          return `${c.output}d`;
        });
      const engine = faultyEngine(memoryEngine(), [{ point: 'flush', effect: 'crash_after', nth }]);
      const lost = await ownerAfterOwner(engine, flow, 'r');
      const result = await flow.result('r', { engine });
      expect(lost).toBe(engine.struck.length);
      expect(result?.output, `crash ${nth}`).toBe('abcd');
      // At most the stage that was under way runs twice.
      expect(runs.length, `crash ${nth}`).toBeLessThanOrEqual(5);
      expect(result?.stages.map(({ outcome }) => outcome)).toEqual(Array(4).fill('succeeded'));
    }
  });

  it('with a body that is dropped and replayed at every await', async () => {
    const { agent } = searcher(9);
    const flow = pipeline('p')
      .stage('one', () => 1)
      .phase(
        'two',
        (phase) =>
          phase.stage(
            'find',
            using(agent, () => 'go'),
            { attempts: 2, validate: () => undefined },
          ),
        {
          before: () => undefined,
          after: () => undefined,
        },
      )
      .stage('three', ({ find }) => find.output);
    const result = await flow.run(undefined, { alwaysReplay: true });
    expect(result).toMatchObject({ outcome: 'succeeded', output: 'found' });
  });

  it('on a file, after the engine was closed and opened again, by a definition made anew', async () => {
    const file = temporaryFile();
    const ran: string[] = [];
    const define = (ready: boolean) =>
      pipeline('p')
        .stage('a', () => {
          ran.push('a');
          return { rows: [1, 2, 3] };
        })
        .phase('x', (phase) =>
          phase.stage('b', ({ a }) => {
            ran.push('b');
            if (!ready) throw new Error('down');
            return a.output.rows.length;
          }),
        );
    const first = sqliteEngine(file);
    const failed = await define(false).run(undefined, { engine: first, runId: 'r' });
    expect(failed.stages.map(({ outcome }) => outcome)).toEqual(['succeeded', 'failed']);
    await first.close();
    const second = openEngine(file);
    const done = await define(true).resume('r', { engine: second });
    expect(done).toMatchObject({ outcome: 'succeeded', output: 3, persisted: true });
    expect(ran).toEqual(['a', 'b', 'b']);
    expect((await second.verify('r', done.headHash)).status).toBe('proved');
  });

  it('finds phases whose names every object has', async () => {
    let broken = true;
    const first = await pipeline('p')
      .phase('constructor', (phase) =>
        phase.stage('a', () => {
          if (broken) throw new Error('broken');
          return 'a';
        }),
      )
      .run();
    expect(first.termination).toMatchObject({ child: { name: 'constructor', path: 'constructor' } });
    broken = false;
    expect((await first.resume()).output).toBe('a');
  });

  it('refuses to limit the steps of a whole pipeline', async () => {
    const flow = pipeline('p', { gate: () => 'no' }).stage('a', () => 1);
    const first = await flow.run();
    await expect(first.resume({ limits: { steps: 1 } })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('is executed by workers', async () => {
    const engine = memoryEngine();
    const flow = pipeline('p')
      .accepting<number>()
      .stage('a', ({ input }) => input + 1);
    const worker = engine.worker([flow]);
    await engine.start({ runId: 'r', name: 'p', version: '1', input: 4 });
    await engine.waitForEnding('r', 1);
    await worker.stop();
    expect((await flow.result('r', { engine }))?.output).toBe(5);
  });
});
