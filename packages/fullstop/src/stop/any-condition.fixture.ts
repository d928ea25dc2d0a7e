import fc from 'fast-check';
import type { StopCondition } from './condition.js';
import type { DeclarativeKind } from './condition-readers.js';
import { budgetPressure } from './conditions/budget-pressure.js';
import { consecutiveErrors } from './conditions/consecutive-errors.js';
import { consecutiveMistakes } from './conditions/consecutive-mistakes.js';
import { contentMatch } from './conditions/content-match.js';
import { costBudget } from './conditions/cost-budget.js';
import { loopDetection } from './conditions/loop-detection.js';
import { maxIterations } from './conditions/max-iterations.js';
import { maxToolCalls } from './conditions/max-tool-calls.js';
import { noProgress } from './conditions/no-progress.js';
import { stallDetection } from './conditions/stall-detection.js';
import { stopOnTool } from './conditions/stop-on-tool.js';
import { timeout } from './conditions/timeout.js';
import { tokenBudget } from './conditions/token-budget.js';
import { comparisons } from './round-key.js';

const few = fc.integer({ min: 1, max: 6 });

const builders = {
  maxIterations: fc
    .record({ limit: few, unit: fc.constantFrom('iteration', 'round') })
    .map(({ limit, unit }) => maxIterations(limit, { unit })),
  maxToolCalls: few.map(maxToolCalls),
  timeout: fc
    .record(
      { run: fc.constantFrom(7, '0.2s' as const), iteration: fc.constantFrom(5, '1m' as const) },
      { requiredKeys: ['run'] },
    )
    .map((options) => timeout(options)),
  tokenBudget: fc.constantFrom(1, 40, 100).map((total) => tokenBudget({ total })),
  costBudget: fc.constantFrom(0.005, 0.5, 1.25).map((usd) => costBudget({ usd })),
  consecutiveErrors: few.map(consecutiveErrors),
  consecutiveMistakes: few.map(consecutiveMistakes),
  stopOnTool: fc.constantFrom('a', 'b', 'DONE').map(stopOnTool),
  contentMatch: fc.constantFrom('DONE', { regExp: '^b$', flags: 'm' }, { regExp: /d?one/i }).map(contentMatch),
  loopDetection: fc
    .record({ repeats: fc.integer({ min: 2, max: 3 }), window: few, compare: fc.constantFrom(...comparisons) })
    .map(loopDetection),
  stallDetection: fc
    .record({ consecutive: fc.integer({ min: 2, max: 4 }), tolerance: fc.constantFrom(0, 0.1, 0.5) })
    .map(stallDetection),
  noProgress: few.map(noProgress),
  budgetPressure: fc.constantFrom(0.1, 0.8).map(budgetPressure),
};

/** Any condition that can be written as JSON. */
export const anyCondition: fc.Arbitrary<StopCondition<DeclarativeKind>> = fc.oneof(
  ...(Object.values(builders) as fc.Arbitrary<StopCondition<DeclarativeKind>>[]),
);

/** A list as a user may pass it: no name twice, in any order. */
export const anyConditions: fc.Arbitrary<readonly StopCondition<DeclarativeKind>[]> = fc.uniqueArray(anyCondition, {
  selector: ({ name }) => name,
  maxLength: 8,
});
