import {
  consecutiveErrors,
  consecutiveMistakes,
  costBudget,
  loopDetection,
  maxIterations,
  maxToolCalls,
  noProgress,
  type StopCondition,
  stallDetection,
  stopOnTool,
  timeout,
  tokenBudget,
} from 'fullstop';
import type { OptionTable, OptionValues } from '../command-line/option.js';
import { readDuration } from '../command-line/read-duration.js';
import { UsageError } from '../command-line/usage-error.js';
import { maxCycles, maxFacts } from './cycle-limits.js';

/** The limits that can be tried on recorded runs. */
export const limitOptions = {
  'max-iterations': {
    type: 'number',
    value: 'N',
    about: 'Iterations of an agent, cycles of a convergence, or steps of anything else',
  },
  'max-cycles': { type: 'number', value: 'N', about: 'Cycles of a convergence' },
  'max-facts': { type: 'number', value: 'N', about: 'Facts of a convergence' },
  'max-tool-calls': { type: 'number', value: 'N', about: 'Tool calls' },
  tokens: { type: 'number', value: 'N', about: 'Tokens in all' },
  cost: { type: 'number', value: 'USD', about: 'Dollars in all' },
  timeout: { type: 'text', value: 'DURATION', about: 'Active time of the run, such as 90s or 15m' },
  'loop-repeats': { type: 'number', value: 'N', about: 'The same calls with the same results, so many times' },
  stall: { type: 'number', value: 'N', about: 'Iterations in a row that use about the same number of tokens' },
  'no-progress': { type: 'number', value: 'N', about: 'Iterations in a row that change nothing' },
  'consecutive-errors': { type: 'number', value: 'N', about: 'Failed calls in a row' },
  'consecutive-mistakes': { type: 'number', value: 'N', about: 'Wrong calls in a row' },
  'stop-on-tool': { type: 'text', value: 'TOOL', about: 'A call of this tool' },
} as const satisfies OptionTable;

export type LimitName = keyof typeof limitOptions;

/** Options that cannot be tried, because the model would have seen something else. */
export const steeringOptions = {
  model: { type: 'text', value: 'MODEL', about: 'Refused: another model would have answered differently' },
  prompt: { type: 'text', value: 'TEXT', about: 'Refused: the model would have seen another prompt' },
  guidance: { type: 'text', value: 'TEXT', about: 'Refused: the model would have been told something else' },
  temperature: { type: 'number', value: 'T', about: 'Refused: the model would have answered differently' },
  'tool-timeout': {
    type: 'text',
    value: 'DURATION',
    about: 'Refused: a call would have been cut off, and the model would have seen that',
  },
  'model-timeout': { type: 'text', value: 'DURATION', about: 'Refused: an answer would have been cut off' },
  'budget-pressure': { type: 'number', value: 'RATIO', about: 'Refused: the model would have been told to wrap up' },
} as const satisfies OptionTable;

/** Refuses by name what cannot be known from a record. */
export function refuseSteering(options: OptionValues<typeof steeringOptions>): void {
  for (const [name, spec] of Object.entries(steeringOptions)) {
    if (options[name as keyof typeof steeringOptions] === undefined) continue;
    const reason = spec.about.replace(/^Refused: /, '');
    throw new UsageError(
      `--${name} cannot be tried on recorded runs: ${reason}. Only limits that cut a run short can.`,
      { command: 'what-if' },
    );
  }
}

/** The stop conditions that the options ask for. */
export function conditionsOf(options: Partial<OptionValues<typeof limitOptions>>): readonly StopCondition<string>[] {
  return Object.keys(limitOptions).flatMap((name) => {
    const value = options[name as LimitName];
    return value === undefined ? [] : [conditionOf(name as LimitName, value)];
  });
}

/** One stop condition; a value that makes none is refused by its builder. */
export function conditionOf(name: LimitName, value: string | number): StopCondition<string> {
  const count = Number(value);
  switch (name) {
    case 'max-iterations':
      return maxIterations(count);
    case 'max-cycles':
      return maxCycles(count);
    case 'max-facts':
      return maxFacts(count);
    case 'max-tool-calls':
      return maxToolCalls(count);
    case 'tokens':
      return tokenBudget({ total: count });
    case 'cost':
      return costBudget({ usd: count });
    case 'timeout':
      return timeout({ run: typeof value === 'string' ? readDuration(value, '--timeout') : value });
    case 'loop-repeats':
      return loopDetection({ repeats: count });
    case 'stall':
      return stallDetection({ consecutive: count });
    case 'no-progress':
      return noProgress(count);
    case 'consecutive-errors':
      return consecutiveErrors(count);
    case 'consecutive-mistakes':
      return consecutiveMistakes(count);
    case 'stop-on-tool':
      return stopOnTool(String(value));
    default:
      return name satisfies never;
  }
}
