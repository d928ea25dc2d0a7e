import { checkOptions, invalidOption, wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Options of `maxIterations`. */
export interface MaxIterationsOptions {
  /** The unit that is counted: iterations, or the rounds of all iterations together. */
  readonly unit?: 'iteration' | 'round';
}

/** Ends the run when it has made this many iterations without reaching its goal. */
export function maxIterations(limit: number, options: MaxIterationsOptions = {}): StopCondition<'max_iterations'> {
  const builder = 'maxIterations';
  wholeLimit(limit, { builder, option: 'limit' });
  const { unit = 'iteration' } = checkOptions(options, builder, ['unit']);
  if (unit !== 'iteration' && unit !== 'round')
    throw invalidOption(unit, { builder, option: 'unit' }, 'iteration or round');
  return defineCondition({
    json: { type: builder, limit, ...(unit === 'round' && { unit }) },
    kinds: ['max_iterations'],
    slot: 'cap',
    completeWith: ({ unit: old }) => maxIterations(limit, old === 'round' ? { unit: old, ...options } : options),
    evaluate(_state, observation) {
      const used = unit === 'round' ? observation.rounds : observation.iterations;
      return used >= limit ? { kind: 'max_iterations', limit, used, unit } : undefined;
    },
  });
}
