import {
  type BuiltInKind,
  budgetPressure,
  consecutiveErrors,
  consecutiveMistakes,
  costBudget,
  loopDetection,
  maxIterations,
  maxToolCalls,
  noProgress,
  stallDetection,
  stopCondition,
  terminations,
  timeout,
  tokenBudget,
} from 'fullstop';
import {
  type Advice,
  agent,
  broken,
  call,
  calls,
  convergence,
  counter,
  done,
  echo,
  text,
} from './program-parts.fixture.js';

/** The advice after limits and detectors. */
export const limitPrograms = {
  max_iterations: {
    make: () => ({ before: agent([...calls('echo', 3), done], { stopWhen: [maxIterations(2)] }) }),
    says: 'Resume with a limit above 2 iterations, or give the run less to do.',
    ways: [{ stopWhen: [maxIterations(9)] }, { stopWhen: [maxIterations(9)], guidance: 'Do less.' }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  max_tool_calls: {
    make: () => ({
      before: agent([...calls('echo', 3), done], { stopWhen: [maxToolCalls(2)] }),
      after: agent([...calls('echo', 1), done], { stopWhen: [maxToolCalls(9)] }),
    }),
    says: 'Resume with a limit above 2 tool calls, or give the run less to do.',
    ways: [{ stopWhen: [maxToolCalls(9)] }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  time_budget: {
    // Twice as much, which is what the command offers, must be enough for a resume on a busy machine.
    make: () => ({
      before: agent([{ ...call('echo'), delay: '1h' }, done], { stopWhen: [timeout({ run: '2s' })] }),
      after: agent([done], { stopWhen: [timeout({ run: '2s' })] }),
    }),
    says: 'Resume with more than 2 s for the run, or give it less to do.',
    ways: [{ stopWhen: [timeout({ run: '1h' })] }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  token_budget: {
    make: () => ({ before: agent([...calls('echo', 2), done], { stopWhen: [tokenBudget({ total: 30 })] }) }),
    says: 'Resume with a budget above 30 tokens, or shrink the context.',
    ways: [{ stopWhen: [tokenBudget({ total: 1000 })] }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  cost_budget: {
    make: () => ({
      before: agent([...calls('echo', 2), done], {
        stopWhen: [costBudget({ usd: 15 })],
        prices: { scripted: { inputPerMillion: 1_000_000, outputPerMillion: 0 } },
      }),
    }),
    says: 'Resume with a budget above $15, or use a cheaper model.',
    ways: [{ stopWhen: [costBudget({ usd: 1000 })] }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  cycle_budget: {
    make: () => ({ before: convergence({ suggestors: [counter], budgets: { cycles: 3 } }) }),
    says: 'Resume with more than 3 cycles, or look for suggestors that undo each other.',
    ways: [{ budgets: { cycles: 20 } }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  fact_budget: {
    make: () => ({ before: convergence({ suggestors: [counter], budgets: { facts: 3 } }) }),
    says: 'Resume with room for more than 3 facts, or propose fewer.',
    ways: [{ budgets: { facts: 20 } }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  budget_pressure: {
    make: () => ({
      before: agent([...calls('echo', 2), text('in short'), done], {
        stopWhen: [tokenBudget({ total: 80 }), budgetPressure(0.5)],
      }),
    }),
    says: 'Use the output, or resume with a larger budget for a fuller one.',
    ways: [
      { stopWhen: [tokenBudget({ total: 1000 })] },
      { without: ['budgetPressure'], stopWhen: [tokenBudget({ total: 1000 })] },
    ],
    unchanged: 'LIMIT_UNCHANGED',
  },

  stall_detected: {
    make: () => ({ before: agent([...calls('echo', 3), done], { stopWhen: [stallDetection()] }) }),
    says: 'Change the prompt or the tools so that each iteration sees something new, then resume.',
    ways: [{ guidance: 'Look elsewhere.' }],
    unchanged: 'allowed',
  },
  loop_detected: {
    make: () => ({ before: agent([...calls('echo', 3), done], { stopWhen: [loopDetection()] }) }),
    says: 'Look at what repeats; give guidance or change what leads back to it, then resume.',
    ways: [{ guidance: 'Look elsewhere.' }],
    unchanged: 'allowed',
  },
  no_progress: {
    make: () => ({ before: agent([...calls('echo', 3), done], { stopWhen: [noProgress(2)] }) }),
    says: 'Look at the snapshot; add guidance or change the task, then resume.',
    ways: [{ guidance: 'Look elsewhere.' }],
    unchanged: 'allowed',
  },
  consecutive_errors: {
    make: () => ({
      before: agent([...calls('broken', 2)], { tools: { broken }, stopWhen: [consecutiveErrors(2)] }),
      after: agent([...calls('broken', 1), done], { tools: { broken: echo }, stopWhen: [consecutiveErrors(2)] }),
    }),
    says: 'Fix what the tools report, then resume.',
    ways: [{}],
    person: 'fix the tool',
    unchanged: 'allowed',
  },
  consecutive_mistakes: {
    make: () => ({
      before: agent(calls('nope', 2), { stopWhen: [consecutiveMistakes(2)] }),
      after: agent([done], { stopWhen: [consecutiveMistakes(2)] }),
    }),
    says: 'Make the tool descriptions clearer or use a stronger model, then resume.',
    ways: [{}],
    person: 'change the tools or the model',
    unchanged: 'allowed',
  },
} as const satisfies Readonly<Record<string, Advice>>;

/** The same kinds, brought about by limits of other parts. */
export const otherLimits: readonly (Advice & { readonly kind: BuiltInKind; readonly where: string })[] = [
  {
    kind: 'custom',
    where: 'a verdict that holds the result',
    make: () => {
      const held = () => terminations.custom({ reason: 'personal data', category: 'paused' });
      return {
        before: agent([done], { stopWhen: [stopCondition('policy', held)] }),
        after: agent([done, done], { stopWhen: [stopCondition('policy', () => undefined)] }),
      };
    },
    says: 'Have a person decide about it, then resume.',
    ways: [{}],
    person: 'decide about it',
    unchanged: 'allowed',
  },
  {
    kind: 'token_budget',
    where: 'a convergence',
    make: () => ({ before: convergence({ suggestors: [counter], budgets: { tokens: 150 } }) }),
    says: 'Resume with a budget above 150 tokens, or shrink the context.',
    ways: [{ budgets: { tokens: 1000 } }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  {
    kind: 'cost_budget',
    where: 'a convergence',
    make: () => ({ before: convergence({ suggestors: [counter], budgets: { costUsd: 0.3 } }) }),
    says: 'Resume with a budget above $0.30, or use a cheaper model.',
    ways: [{ budgets: { costUsd: 10 } }],
    unchanged: 'LIMIT_UNCHANGED',
  },
  {
    kind: 'time_budget',
    where: 'a model call',
    make: () => {
      const slow = { ...done, delay: '5s' };
      return {
        before: agent([slow], { stopWhen: [timeout({ model: 5 })] }),
        after: agent([done], { stopWhen: [timeout({ model: '1h' })] }),
      };
    },
    says: 'Resume with more than 5 ms for the model call, or give it less to do.',
    ways: [{}],
    unchanged: 'allowed',
  },
  {
    kind: 'output_truncated',
    where: 'a model without a cap',
    make: () => ({ before: agent([{ text: 'half of', error: 'length' }, done]) }),
    says: 'Resume with a higher output limit, or ask for a shorter answer.',
    ways: [{ settings: { maxOutputTokens: 50 } }, { guidance: 'Be brief.' }],
    unchanged: 'allowed',
  },
];
