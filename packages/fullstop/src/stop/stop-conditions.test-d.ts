import { expectTypeOf, it } from 'vitest';
import type { MaxIterations } from '../termination/kinds/limit.js';
import type { Termination, TerminationKinds } from '../termination/kinds.js';
import { terminations } from '../termination/terminations.js';
import { reconciled } from '../termination/third-party.fixture.js';
import type { EndingOfKind, StopCondition } from './condition.js';
import { parseStopConditions } from './condition-json.js';
import type { DeclarativeKind } from './condition-readers.js';
import { contentMatch } from './conditions/content-match.js';
import { costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { stopCondition } from './conditions/stop-condition.js';
import { timeout } from './conditions/timeout.js';
import { tokenBudget } from './conditions/token-budget.js';
import { conditionKinds, evaluateConditions } from './evaluate.js';
import { foldLimits } from './fold-limits.js';
import type { LoopObservation, LoopView } from './observation.js';
import { mergeConditions } from './resume-conditions.js';

/** The signature that an agent has. */
declare function run<TKind extends string = never>(options: {
  readonly prompt: string;
  readonly stopWhen?: readonly StopCondition<TKind>[];
}): TKind;

declare const isLong: boolean;
declare const observed: LoopObservation;
const prompt = 'go';

it('infers the kinds of a literal list', () => {
  expectTypeOf(run({ prompt, stopWhen: [maxIterations(5), costBudget({ usd: 1 }), loopDetection()] })).toEqualTypeOf<
    'max_iterations' | 'cost_budget' | 'loop_detected'
  >();
});

it('infers no kinds without a list, or from an empty one', () => {
  expectTypeOf(run({ prompt })).toEqualTypeOf<never>();
  expectTypeOf(run({ prompt, stopWhen: [] })).toEqualTypeOf<never>();
});

it('infers through a spread and a conditional spread', () => {
  const limits = [maxIterations(5), tokenBudget({ total: 9 })];
  expectTypeOf(run({ prompt, stopWhen: [...limits, loopDetection()] })).toEqualTypeOf<
    'max_iterations' | 'token_budget' | 'loop_detected'
  >();
  expectTypeOf(
    run({ prompt, stopWhen: [maxIterations(5), ...(isLong ? [timeout({ run: '1h' })] : [])] }),
  ).toEqualTypeOf<'max_iterations' | 'time_budget'>();
});

it('infers from a list or options that are held in a variable', () => {
  const stopWhen = [maxIterations(5), costBudget({ usd: 1 })];
  expectTypeOf(run({ prompt, stopWhen })).toEqualTypeOf<'max_iterations' | 'cost_budget'>();
  const options = { prompt, stopWhen };
  expectTypeOf(run(options)).toEqualTypeOf<'max_iterations' | 'cost_budget'>();
  const fixed = [maxIterations(5), costBudget({ usd: 1 })] as const;
  expectTypeOf(run({ prompt, stopWhen: fixed })).toEqualTypeOf<'max_iterations' | 'cost_budget'>();
});

it('widens to every known kind where the list does not say', () => {
  const stopWhen: StopCondition[] = [maxIterations(5), costBudget({ usd: 1 })];
  expectTypeOf(run({ prompt, stopWhen })).toEqualTypeOf<keyof TerminationKinds>();
});

it('is covariant: what can end in fewer ways fits where more are allowed, not the other way round', () => {
  expectTypeOf(maxIterations(1)).toExtend<StopCondition<'max_iterations' | 'cost_budget'>>();
  expectTypeOf<StopCondition<'max_iterations' | 'cost_budget'>>().not.toExtend<StopCondition<'max_iterations'>>();
  expectTypeOf<readonly StopCondition<'max_iterations'>[]>().toExtend<readonly StopCondition<string>[]>();
});

it('knows that the timeout of a tool ends no run', () => {
  expectTypeOf(timeout({ tool: '5s' })).toEqualTypeOf<StopCondition<never>>();
  expectTypeOf(timeout({ model: false })).toEqualTypeOf<StopCondition<never>>();
  expectTypeOf(timeout({ model: '5m' })).toEqualTypeOf<StopCondition<'time_budget'>>();
  expectTypeOf(timeout({ run: '5m', model: false })).toEqualTypeOf<StopCondition<'time_budget'>>();
  expectTypeOf(timeout({ run: '5m', tool: 500 })).toEqualTypeOf<StopCondition<'time_budget'>>();
  expectTypeOf(
    run({ prompt, stopWhen: [maxIterations(1), timeout({ tool: '5s' })] }),
  ).toEqualTypeOf<'max_iterations'>();
});

it('takes only options that exist', () => {
  // @ts-expect-error no such option
  tokenBudget({ totl: 5 });
  // @ts-expect-error no such option
  timeout({ runs: 5 });
  // @ts-expect-error no such unit of time
  timeout({ run: '5y' });
  // @ts-expect-error a pattern has to be asked for
  contentMatch(/done/);
  // @ts-expect-error no such comparison
  loopDetection({ compare: 'name' });
  // @ts-expect-error misspelt
  run({ prompt, stopwhen: [maxIterations(5)] });
});

it('infers the kind of a custom condition from what it returns', () => {
  const custom = stopCondition('mine', ({ toolCalls }) =>
    toolCalls > 3 ? terminations.custom({ reason: 'enough', category: 'success' }) : undefined,
  );
  expectTypeOf(custom).toEqualTypeOf<StopCondition<'custom'>>();
  const short = stopCondition('mine', (view) => {
    expectTypeOf(view).toEqualTypeOf<LoopView>();
    return view.answer === '' && terminations.custom({ reason: 'empty', category: 'fatal' });
  });
  expectTypeOf(short).toEqualTypeOf<StopCondition<'custom'>>();
  const slow = stopCondition('mine', async () => terminations.custom({ reason: 'x', category: 'fatal' }));
  expectTypeOf(slow).toEqualTypeOf<StopCondition<'custom'>>();
  expectTypeOf(run({ prompt, stopWhen: [maxIterations(1), slow] })).toEqualTypeOf<'max_iterations' | 'custom'>();
});

it('lets a custom condition have other kinds, and third-party ones, when it lists them', () => {
  const own = stopCondition('books', async () => reconciled({ findings: 1 }), ['billing.reconciled']);
  expectTypeOf(own).toEqualTypeOf<StopCondition<'billing.reconciled'>>();
  const several = stopCondition('both', () => (isLong ? reconciled({ findings: 1 }) : terminations.naturalEnd()), [
    'billing.reconciled',
    'natural_end',
  ]);
  expectTypeOf(run({ prompt, stopWhen: [maxIterations(1), several] })).toEqualTypeOf<
    'max_iterations' | 'billing.reconciled' | 'natural_end'
  >();
  // @ts-expect-error the kinds have to be listed
  stopCondition('books', () => reconciled({ findings: 1 }));
  // @ts-expect-error it never returns this kind
  stopCondition('books', () => reconciled({ findings: 1 }), ['natural_end']);
  // @ts-expect-error a yes says nothing
  stopCondition('mine', () => true);
});

it('has the endings of its conditions', () => {
  const { winner, also } = evaluateConditions([maxIterations(1), costBudget({ usd: 1 })], {}, observed);
  expectTypeOf(winner).toEqualTypeOf<Termination<'max_iterations' | 'cost_budget'> | undefined>();
  expectTypeOf(also).toEqualTypeOf<readonly Termination<'max_iterations' | 'cost_budget'>[]>();
  const own = [{ slot: 'goal', termination: terminations.naturalEnd() }] as const;
  expectTypeOf(evaluateConditions([maxIterations(1)], {}, observed, own).winner).toEqualTypeOf<
    Termination<'max_iterations' | 'natural_end'> | undefined
  >();
  expectTypeOf(foldLimits([observed], [maxIterations(1)])?.termination).toEqualTypeOf<MaxIterations | undefined>();
  expectTypeOf(conditionKinds([maxIterations(1), loopDetection()])).toEqualTypeOf<
    readonly ('max_iterations' | 'loop_detected')[]
  >();
  expectTypeOf<EndingOfKind<'app.unknown'>['kind']>().toEqualTypeOf<'app.unknown'>();
});

it('joins the kinds of a resume with those of before', () => {
  const before = [maxIterations(1), costBudget({ usd: 1 })];
  expectTypeOf(mergeConditions(before, { stopWhen: [loopDetection()], without: ['costBudget'] })).toEqualTypeOf<
    readonly StopCondition<'max_iterations' | 'cost_budget' | 'loop_detected'>[]
  >();
  expectTypeOf(mergeConditions(before, {})).toEqualTypeOf<readonly StopCondition<'max_iterations' | 'cost_budget'>[]>();
});

it('reads from JSON what JSON can say, and the custom conditions beside it', () => {
  expectTypeOf(parseStopConditions([])).toEqualTypeOf<readonly StopCondition<DeclarativeKind>[]>();
  const custom = [stopCondition('books', () => reconciled({ findings: 1 }), ['billing.reconciled'])];
  expectTypeOf(parseStopConditions([], { custom })).toEqualTypeOf<
    readonly StopCondition<DeclarativeKind | 'billing.reconciled'>[]
  >();
});
