import { expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { createCodec } from '../termination/codec/codec.js';
import { createRegistry } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import { terminations } from '../termination/terminations.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import { ending, reconciled } from './runnable.fixture.js';

// The promises of the text that typed stage endings started from, by the names that it gives them.

const search = { toolCalls: [{ tool: 'search', input: {} }] };

it('ExecuteAsync_ShouldTreatAsSuccess_KeepsTerminationFromLoop: the flipped outcome keeps max_iterations 25/25', async () => {
  const loop = defineAgent({
    name: 'loop',
    model: scriptedModel([search], { exhausted: 'repeat-last' }),
    tools: { search: { inputSchema: { type: 'object' }, execute: () => 'hit' } },
    stopWhen: [maxIterations(25)],
  });
  const result = await pipeline('p')
    .stage(
      'draft',
      using(loop, () => 'go'),
      { treatAsSuccess: ({ kind }) => kind === 'max_iterations' },
    )
    .run();
  expect(result.stage('draft')).toMatchObject({
    outcome: 'succeeded',
    termination: { kind: 'max_iterations', limit: 25, used: 25, unit: 'iteration' },
  });
  expect(result.outcome).toBe('succeeded');
});

it('failed unifies stage-throw and loop-error, but origin distinguishes them and the original error is preserved', async () => {
  const cause = Object.assign(new Error('socket closed'), { code: 'ECONNRESET' });
  const thrown = new TypeError('bad row', { cause });
  const result = await pipeline('p')
    .stage(
      'throws',
      (): number => {
        throw thrown;
      },
      { disposition: 'advisory' },
    )
    .stage(
      'loops',
      using(
        ending({
          termination: terminations.failed({
            error: { name: 'HookError', message: 'the loop broke' },
            origin: 'loop',
            errorClass: 'internal',
          }),
        }),
        () => 1,
      ),
    )
    .run();
  const [throws, loops] = result.stages;
  expect(throws?.termination).toMatchObject({
    kind: 'failed',
    origin: 'stage',
    errorClass: 'external',
    error: {
      name: 'TypeError',
      message: 'bad row',
      stack: thrown.stack,
      cause: { message: 'socket closed', code: 'ECONNRESET' },
    },
  });
  expect(loops?.termination).toEqual({
    kind: 'failed',
    origin: 'loop',
    errorClass: 'internal',
    error: { name: 'HookError', message: 'the loop broke' },
  });
});

it('a custom case returned from the callback carries its evidence to whoever reads the result', async () => {
  const result = await pipeline('p', { customTags: ['reconciled'] })
    .stage('review', () => ({ findings: 3 }), {
      onCompleted: (run) =>
        run.outcome === 'succeeded'
          ? terminations.custom({
              reason: 'Reconciled',
              category: 'success',
              tag: 'reconciled',
              properties: { findings: run.output.findings },
            })
          : null,
    })
    .run();
  const { termination, tag } = result.stage('review');
  expect(termination).toEqual({
    kind: 'custom',
    reason: 'Reconciled',
    category: 'success',
    tag: 'reconciled',
    properties: { findings: 3 },
  });
  expect(tag).toBe('reconciled');
});

it('a third-party kind flows through runner, store and codec as a full peer', async () => {
  const engine = memoryEngine();
  const flow = pipeline('p', { terminations: [reconciled] }).stage('review', () => ({ findings: 3 }), {
    onCompleted: () => reconciled({ findings: 3 }),
  });
  await flow.run(undefined, { engine, runId: 'r' });
  const stage = (await flow.result('r', { engine }))?.stage('review');
  const ending = stage?.termination ?? terminations.naturalEnd();
  expect(ending.kind === 'billing.reconciled' && ending.findings).toBe(3);
  const registry = createRegistry([reconciled]);
  const codec = createCodec({ registry });
  expect(codec.decode(codec.encode(ending as never))).toEqual({ kind: 'billing.reconciled', findings: 3 });
  expect(tagOf(ending, { registry })).toBe('billing.reconciled');
});

it('every stage that the runner emits has a termination, also those that it skips', async () => {
  const result = await pipeline('p')
    .stage('skipped', () => 1, { skip: () => 'not today' })
    .stage('done', () => 2)
    .run();
  expect(result.stages.map(({ termination }) => termination)).toEqual([
    { kind: 'skipped', reason: 'not today' },
    { kind: 'flow_completed', last: 'done' },
  ]);
});
