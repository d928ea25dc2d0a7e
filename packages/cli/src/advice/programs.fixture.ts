import { type BuiltInKind, contentMatch, finish, goal, stopOnTool, submitTool, terminations } from 'fullstop';
import { criterion } from 'fullstop/convergence';
import { pipeline } from 'fullstop/pipeline';
import { errorPrograms } from './error-programs.fixture.js';
import { humanPrograms } from './human-programs.fixture.js';
import { limitPrograms, otherLimits } from './limit-programs.fixture.js';
import {
  type Advice,
  agent,
  body,
  call,
  convergence,
  done,
  type Program,
  seed,
  success,
  text,
} from './program-parts.fixture.js';

/** The advice after completion. */
const completionPrograms = {
  natural_end: success(() => agent([done])),
  completed: success(() => agent([call('echo')], { goal: goal(({ toolCalls }) => toolCalls > 0) })),
  submitted: success(() => agent([call('submit', { score: 7 })], { tools: { submit: submitTool() } })),
  converged: success(() => convergence({ suggestors: [seed] })),
  criteria_met: success(() =>
    convergence({ suggestors: [seed], intent: { criteria: [criterion('seeded', ({ facts }) => facts.has('seed'))] } }),
  ),
  flow_completed: success(() => pipeline('p').stage('a', () => 1) as unknown as Program),
  terminated: {
    make: () => ({
      before: body(() => terminations.terminated({ status: 'failed', reason: 'no', by: 'p' })),
      after: body(() => terminations.flowCompleted({ last: 'p' })),
    }),
    says: 'This ending is explicit and final: act on the reason, then start a new run.',
    unchanged: 'RUN_CLOSED',
  },
  tool_called: success(() => agent([call('echo')], { stopWhen: [stopOnTool('echo')] })),
  content_matched: success(() => agent([text('the END')], { stopWhen: [contentMatch('END')] })),
  plugin_requested: success(
    () => agent([done], { hooks: { name: 'guard', beforeModel: () => finish('enough') } }),
    'Nothing to do: the plugin ended the run on purpose.',
  ),
  skipped: success(
    () => body(() => terminations.skipped({ reason: 'no findings' })),
    'Nothing to do: this part was not needed.',
  ),
} as const satisfies Readonly<Record<string, Advice>>;

/** The advice of every kind; one that is missing does not compile. */
export const programs: Readonly<Record<BuiltInKind, Advice>> = {
  ...completionPrograms,
  ...limitPrograms,
  ...humanPrograms,
  ...errorPrograms,
};

/** Every piece of advice with the name of its test. */
export const allAdvice: readonly (readonly [name: string, kind: BuiltInKind, advice: Advice])[] = [
  ...Object.entries(programs).map(([kind, advice]) => [kind, kind as BuiltInKind, advice] as const),
  ...otherLimits.map((advice) => [`${advice.kind} of ${advice.where}`, advice.kind, advice] as const),
];
