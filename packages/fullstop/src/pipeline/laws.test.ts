import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Ending } from '../termination/ending.js';
import { terminations } from '../termination/terminations.js';
import { checkJournal } from '../testing/check-journal.js';
import { randomFaults } from '../testing/fault-plan.js';
import { faultyEngine } from '../testing/faulty-engine.js';
import type { StageResult } from './machine/stage-result.js';
import { isFine } from './machine/stage-view.js';
import type { StageOptions } from './options/stage-options.js';
import type { StageWork } from './options/stage-work.js';
import { ownerAfterOwner } from './owner-after-owner.fixture.js';
import { continueOnFailure, fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';
import type { Pipeline } from './pipeline-definition.js';

interface RandomStage {
  readonly work: 'value' | 'throws' | 'ends_well' | 'ends_badly' | 'steps';
  readonly decorator: 'none' | 'timeout' | 'fallback' | 'retry' | 'continue';
  readonly skip: boolean;
  readonly validate: 'none' | 'content' | 'never';
  readonly treat: boolean;
  readonly replace: boolean;
  readonly advisory: boolean;
  readonly after: boolean;
  readonly phase: boolean;
}

const randomStage: fc.Arbitrary<RandomStage> = fc.record({
  work: fc.constantFrom('value', 'throws', 'ends_well', 'ends_badly', 'steps'),
  decorator: fc.constantFrom('none', 'timeout', 'fallback', 'retry', 'continue'),
  skip: fc.boolean(),
  validate: fc.constantFrom('none', 'content', 'never'),
  treat: fc.boolean(),
  replace: fc.boolean(),
  advisory: fc.boolean(),
  after: fc.boolean(),
  phase: fc.boolean(),
});

const capped = terminations.maxIterations({ limit: 1, used: 1, unit: 'iteration' });

function ends(termination: Ending): StageWork<never, unknown> {
  return using(
    {
      name: 'ends',
      kinds: [termination.kind],
      within: async (context) => {
        await context.step('once', () => 1);
        return { termination, output: 'x' };
      },
    },
    () => 1,
  );
}

const works: Readonly<Record<RandomStage['work'], StageWork<never, unknown>>> = {
  value: () => ({ n: 1 }),
  throws: () => {
    throw new Error('no');
  },
  ends_well: ends(terminations.naturalEnd()),
  ends_badly: ends(capped),
  steps: async (_: never, { context }) => {
    const first = await context.step('one', ({ charge }) => {
      charge({ outputTokens: 5 });
      return 1;
    });
    return first + (await context.step('two', () => 2));
  },
};

const decorators: Readonly<
  Record<RandomStage['decorator'], (work: StageWork<never, unknown>) => StageWork<never, unknown>>
> = {
  none: (work) => work,
  timeout: (work) => timeout(work, '1h'),
  fallback: (work) => fallback(work, () => 'instead'),
  retry: (work) => retry(work, { attempts: 2, when: () => true }),
  continue: continueOnFailure,
};

function optionsOf({ skip, validate, treat, replace, advisory, after }: RandomStage): StageOptions<never, unknown> {
  return {
    ...(skip && { skip: () => 'not today' }),
    ...(validate !== 'none' && { attempts: 2, validate: () => (validate === 'never' ? 'wrong' : undefined) }),
    ...(treat && { treatAsSuccess: () => true }),
    ...(replace && { onCompleted: () => terminations.custom({ reason: 'replaced', category: 'success' }) }),
    ...(advisory && { disposition: 'advisory' as const }),
    ...(after && { after: () => undefined }),
  };
}

type Loose = Pipeline<undefined, object, unknown>;

function build(stages: readonly RandomStage[]): Loose {
  let flow = pipeline('random') as unknown as Loose;
  for (const [index, stage] of stages.entries()) {
    const [name, work, options] = [
      `s${index}`,
      decorators[stage.decorator](works[stage.work]),
      optionsOf(stage),
    ] as const;
    flow = (stage.phase
      ? flow.phase(`p${index}`, (phase) => phase.stage(name as never, work as never, options as never))
      : flow.stage(name as never, work as never, options as never)) as unknown as Loose;
  }
  return flow;
}

const pipelines = fc.array(randomStage, { maxLength: 6 });

describe('laws of pipelines', () => {
  it('every planned stage has exactly one ending, in order, and the pipeline acts on the outcomes', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, async (stages) => {
        const engine = memoryEngine();
        const result = await build(stages).run(undefined, { engine, runId: 'r' });
        expect(result.stages.map(({ name }) => name)).toEqual(stages.map((_, index) => `s${index}`));
        const stopped = result.stages.findIndex(
          ({ outcome }, index) => !isFine(outcome) && !goesOn(stages[index], result.stages[index]),
        );
        expect(result.termination.kind).toBe(stopped === -1 ? 'flow_completed' : 'child_failed');
        const reached = stopped === -1 ? result.stages.length : stopped + 1;
        const rest = result.stages.slice(reached).map(({ termination, attempts }) => [termination, attempts]);
        expect(rest).toEqual(rest.map(() => [{ kind: 'skipped', because: 'not_reached' }, 0]));
        const treated = result.stages
          .slice(0, reached)
          .filter((_, index) => stages[index]?.treat && !stages[index].skip);
        expect(treated.map(({ outcome }) => outcome)).toEqual(treated.map(() => 'succeeded'));
        await checkJournal(engine, 'r');
        const ended = (await result.journal()).filter(
          ({ type, key }) => type === 'unit_ended' && /^s\d$/.test(key ?? ''),
        );
        expect(ended).toHaveLength(reached);
      }),
      { numRuns: 150 },
    );
  }, 300_000);

  it('dropping and replaying the body at every await changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, async (stages) => {
        const [plain, replayed] = await Promise.all([
          build(stages).run(undefined, { engine: memoryEngine() }),
          build(stages).run(undefined, { engine: memoryEngine(), alwaysReplay: true }),
        ]);
        expect(facts(replayed.stages)).toEqual(facts(plain.stages));
        expect(replayed.termination.kind).toBe(plain.termination.kind);
        expect(replayed.usage).toEqual(plain.usage);
      }),
      { numRuns: 60 },
    );
  }, 300_000);

  it('crashes and failures of the store change neither the stages nor their number', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, fc.integer({ min: 1, max: 1e6 }), async (stages, seed) => {
        const expected = await build(stages).run(undefined, { engine: memoryEngine() });
        const engine = faultyEngine(
          memoryEngine(),
          randomFaults(seed, { count: 2, points: ['flush', 'append'], effects: ['crash', 'crash_after'] }),
        );
        const flow = build(stages);
        await ownerAfterOwner(engine, flow, 'r');
        const result = await flow.result('r', { engine });
        expect(facts(result?.stages ?? [])).toEqual(facts(expected.stages));
        await checkJournal(engine, 'r');
      }),
      { numRuns: 40 },
    );
  }, 300_000);
});

/** `continueOnFailure` forgives what its work ended with, not what the validation says about it. */
function goesOn(stage: RandomStage | undefined, result: StageResult | undefined): boolean {
  const workFailed = ['failed', 'max_iterations'].includes(result?.executor?.termination.kind ?? '');
  return stage?.advisory === true || (stage?.decorator === 'continue' && workFailed);
}

function facts(
  stages: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly tag: string;
    readonly output?: unknown;
    readonly attempts: number;
  }[],
): unknown {
  return stages.map(({ name, outcome, tag, output, attempts }) => ({ name, outcome, tag, output, attempts }));
}
