import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { terminations } from '../termination/terminations.js';
import { checkJournal } from '../testing/check-journal.js';
import type { StageOptions } from './options/stage-options.js';
import type { StageWork } from './options/stage-work.js';
import { timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import type { Pipeline } from './pipeline-definition.js';
import { blocked } from './runnable.fixture.js';

interface FlakyStage {
  /** How often it fails before it does its work. */
  readonly failures: number;
  readonly work: 'throws' | 'ends' | 'terminates' | 'fails_in_step';
  readonly timed: boolean;
  readonly replaces: boolean;
  readonly after: boolean;
  readonly limited: boolean;
  readonly validated: boolean;
  readonly phase: boolean;
}

const flakyStage: fc.Arbitrary<FlakyStage> = fc.record({
  failures: fc.integer({ min: 0, max: 2 }),
  work: fc.constantFrom('throws', 'ends', 'terminates', 'fails_in_step'),
  timed: fc.boolean(),
  replaces: fc.boolean(),
  after: fc.boolean(),
  limited: fc.boolean(),
  validated: fc.boolean(),
  phase: fc.boolean(),
});

type Loose = Pipeline<undefined, object, unknown>;

function workOf({ failures, work }: FlakyStage, runs: number[], index: number): StageWork<never, unknown> {
  const isReady = (): boolean => {
    const done = (runs[index] ?? 0) + 1;
    runs[index] = done;
    return done > failures;
  };
  const bad = terminations.terminated({ status: 'failed', reason: 'not yet', by: 'flaky' });
  switch (work) {
    case 'throws':
      return () => {
        if (!isReady()) throw new Error('not yet');
        return index;
      };
    case 'fails_in_step':
      return (_: never, { context }) =>
        context.step('flaky', () => {
          if (!isReady()) throw new Error('not yet');
          return index;
        });
    case 'ends':
    case 'terminates':
      return using(
        {
          name: 'flaky',
          kinds: ['natural_end', 'halted', 'terminated'],
          within: async () => {
            if (isReady()) return { termination: terminations.naturalEnd(), output: index };
            const halted = terminations.halted({ by: { type: 'hook', name: 'flaky' }, reason: 'not yet' });
            return { termination: work === 'ends' ? halted : bad };
          },
        },
        () => index,
      );
  }
}

function optionsOf({ replaces, after, limited, validated }: FlakyStage): StageOptions<never, unknown> {
  return {
    ...(replaces && {
      onCompleted: ({ outcome }: { outcome: string }) =>
        outcome === 'succeeded' ? undefined : blocked({ by: 'flaky' }),
    }),
    ...(after && { after: () => undefined }),
    ...(limited && { limits: { tokens: 1000 } }),
    ...(validated && { validate: () => undefined }),
  };
}

function build(stages: readonly FlakyStage[], runs: number[]): Loose {
  let flow = pipeline('flaky', { terminations: [blocked] }) as unknown as Loose;
  for (const [index, stage] of stages.entries()) {
    const plain = workOf(stage, runs, index);
    const work = (stage.timed ? timeout(plain, '1h') : plain) as never;
    const [name, options] = [`s${index}` as never, optionsOf(stage) as never] as const;
    flow = (stage.phase
      ? flow.phase(`p${index}`, (phase) => phase.stage(name, work, options))
      : flow.stage(name, work, options)) as unknown as Loose;
  }
  return flow;
}

describe('resuming', () => {
  it('repeats what failed, once for each resume, and nothing that is through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(flakyStage, { maxLength: 4 }), fc.boolean(), async (stages, alwaysReplay) => {
        const runs: number[] = stages.map(() => 0);
        const engine = memoryEngine();
        const flow = build(stages, runs);
        let result = await flow.run(undefined, { engine, runId: 'r', alwaysReplay });
        let resumes = 0;
        for (; result.outcome !== 'succeeded' && resumes < 20; resumes += 1) {
          result = await flow.resume('r', { engine, alwaysReplay });
        }
        expect(runs).toEqual(stages.map(({ failures }) => failures + 1));
        expect(resumes).toBe(stages.reduce((sum, { failures }) => sum + failures, 0));
        expect(result.stages.map(({ output }) => output)).toEqual(stages.map((_, index) => index));
        await checkJournal(engine, 'r');
      }),
      { numRuns: 150, timeout: 120_000 },
    );
  }, 300_000);
});
