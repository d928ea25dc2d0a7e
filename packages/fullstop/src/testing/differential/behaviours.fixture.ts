import { type AgentKind, cases } from '../../agent/every-ending.fixture.js';
import type { BaseKind } from '../../agent/kinds.js';
import type { AnyAgentOptions } from '../../agent/options/agent-options.js';
import { finish, halt } from '../../agent/options/directive.js';
import { goal } from '../../agent/options/goal.js';
import type { AgentHooks } from '../../agent/options/hooks.js';
import { submitTool } from '../../agent/tools/submit-tool.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import type { StopCondition } from '../../stop/condition.js';
import { consecutiveMistakes } from '../../stop/conditions/consecutive-mistakes.js';
import { contentMatch } from '../../stop/conditions/content-match.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import { timeout } from '../../stop/conditions/timeout.js';
import { terminations } from '../../termination/terminations.js';
import { outputSchema } from '../../workflow/perform/agent/output-schema.js';
import type { OutputField } from '../../workflow/schema/record-types.js';

/** A model that says what a script says, and the options of the agent that asks it. */
export interface Behaviour {
  /** The answer of the model in each round; the last one is repeated. A list holds the attempts of a round. */
  readonly answers: readonly (ScriptAnswer | readonly ScriptAnswer[])[];
  readonly options?: Omit<AnyAgentOptions, 'model' | 'name'>;
  /** The same options in a workflow file; absent where a file has no word for them. */
  readonly file?: FileOptions;
  /** The run waits until a deadline has passed. */
  readonly outwaits?: true;
}

/** The keys of an agent in a workflow file, and those of the workflow's `runtime`. */
export interface FileOptions {
  readonly agent: string;
  readonly runtime?: string;
}

/** Kinds without a behaviour here, and why. */
export const elsewhere = {
  abandoned: 'no behaviour of a model leads to it, but the death of a process: see agent/every-ending.test.ts',
} as const satisfies Partial<Record<AgentKind, string>>;

export type ScriptedKind = Exclude<AgentKind, keyof typeof elsewhere>;

/** The kinds of an agent in a workflow file: it can say neither conditions other than limits, nor hooks, goals or a compaction. */
export type FileKind =
  | BaseKind
  | Extract<
      AgentKind,
      | 'halted'
      | 'submitted'
      | 'interaction_pending'
      | 'gate_expired'
      | 'schema_validation'
      | 'structured_output_exhausted'
    >;

const usage = { inputTokens: 10, outputTokens: 10 };
const text = (words: string): ScriptAnswer => ({ text: words, usage });
const call = (tool: string): ScriptAnswer => ({ toolCalls: [{ tool }], usage });
const both = (...tools: readonly string[]): ScriptAnswer => ({ toolCalls: tools.map((tool) => ({ tool })), usage });
const error = (status: number): ScriptAnswer => ({ error: { status } });
/** The schema that a workflow file makes of its fields, so that a misfit is described in the same words. */
const score = outputSchema(
  new Map([['score', { type: 'number', description: '', required: true, nullable: false } as OutputField]]),
);
const submitted: ScriptAnswer = { toolCalls: [{ tool: 'submit', input: { score: 7 } }, { tool: 'echo' }], usage };
const forbidding = stopCondition('policy', () => terminations.custom({ reason: 'no', category: 'fatal' }));
/** A tool that never returns, and a limit for that. */
const inTime = (...stopWhen: readonly StopCondition<string>[]): NonNullable<Behaviour['options']> => ({
  tools: { hang: { execute: () => new Promise<never>(() => undefined) } },
  stopWhen: [...stopWhen, timeout({ run: 5000 })],
});
const throwing = (hook: 'beforeTool' | 'afterTool'): AgentHooks => ({
  [hook]: ({ tool }: { readonly tool: string }) => {
    if (tool === 'echo') throw new Error('no policy');
  },
});

/** One attempt for each call of a model, as the plain agent has it unless its options say something else. */
const once: FileOptions = { agent: 'retry: {max_attempts: 1}' };
const twice: FileOptions = { agent: 'retry: {max_attempts: 2}' };
const scored = (recoveries: number): FileOptions => ({
  agent: `output: {score: {type: number}}, retry: {max_attempts: 1, max_parse_recovery_attempts: ${recoveries}}`,
});

type Behaviours = Readonly<Record<string, Behaviour>>;

/** By the kind that it ends with; a kind of an agent without a behaviour does not compile. Whoever adds a finish word or a policy adds a row. */
export const behaviours: Readonly<Record<ScriptedKind, Behaviours>> = {
  ...byKind(cases),
  natural_end: {
    'a text': { answers: [text('done')], file: once },
    'a tool, then a text': { answers: [call('echo'), text('done')], file: once },
    'an unknown finish word': {
      answers: [{ text: 'done', finish: 'other' }],
      options: { stopWhen: [maxIterations(3)] },
      file: { agent: `max_agent_iterations: 3, ${once.agent}` },
    },
    'status 429, then a text': {
      answers: [[error(429), text('done')]],
      options: { retry: { attempts: 2 } },
      file: twice,
    },
    'a tool that fails, then a text': { answers: [call('broken'), text('done')], file: once },
    'an output that fits': { answers: [{ output: { score: 7 } }], options: { output: score }, file: scored(1) },
  },
  no_answer: {
    'an empty answer': {
      answers: [{ text: '', usage }],
      options: { stopWhen: [maxIterations(3)] },
      file: { agent: `max_agent_iterations: 3, ${once.agent}` },
    },
  },
  output_truncated: {
    'an answer cut at its length': { answers: [{ text: 'and then', error: 'length' }], file: once },
  },
  agent_refused: {
    'an answer stopped by a filter': { answers: [{ text: 'I', error: 'filter' }], file: once },
    'a refusal': { answers: [{ text: 'I cannot', error: 'refusal' }], file: once },
  },
  prompt_too_long: { 'a prompt that is too long': { answers: [{ error: 'context_length' }], file: once } },
  provider_auth: {
    'status 401': { answers: [error(401)], file: once },
    'status 403': { answers: [error(403)], file: once },
  },
  provider_quota: { 'status 402': { answers: [error(402)], file: once } },
  provider_failed: {
    'status 429 for ever': { answers: [error(429)], options: { retry: { attempts: 2 } }, file: twice },
    'status 500 for ever': { answers: [error(500)], options: { retry: { attempts: 2 } }, file: twice },
    'a stream that is cut': {
      answers: [{ text: 'one two', error: 'stream_cut' }],
      options: { retry: { attempts: 2 } },
      file: twice,
    },
    'an interrupted answer': { answers: [{ text: 'do', finish: 'interrupted' }], file: once },
    'no network': { answers: [{ error: 'network' }], options: { retry: { attempts: 2 } }, file: twice },
  },
  failed: {
    'status 404': { answers: [error(404)], file: once },
    'a goal that throws': cases.failed,
    'a hook that throws before a call': { answers: [both('echo', 'pay')], options: { hooks: throwing('beforeTool') } },
    'a hook that throws after a call': { answers: [both('echo', 'pay')], options: { hooks: throwing('afterTool') } },
    'something submitted before a call at which a hook throws': {
      answers: [submitted],
      options: { tools: { submit: submitTool() }, hooks: throwing('beforeTool') },
    },
  },
  consecutive_mistakes: {
    'an unknown tool': cases.consecutive_mistakes,
    'arguments that are no JSON': {
      answers: [{ toolCalls: [{ tool: 'echo', inputText: '{' }], usage }],
      options: { stopWhen: [consecutiveMistakes(2)] },
    },
    'arguments that do not fit': { answers: [call('strict')], options: { stopWhen: [consecutiveMistakes(2)] } },
  },
  max_iterations: {
    'too many iterations': {
      answers: [call('echo')],
      options: { stopWhen: [maxIterations(2)] },
      file: { agent: `max_agent_iterations: 2, ${once.agent}` },
    },
  },
  time_budget: {
    'too much time': {
      answers: [{ ...text('late'), delay: '20s' }],
      options: { stopWhen: [timeout({ model: 5000 })] },
      file: { ...once, runtime: 'timeout: 5' },
    },
  },
  interaction_pending: { 'an approval': { answers: [call('pay')], file: once } },
  gate_expired: { 'an approval that nobody gives in time': { answers: [call('late')], file: once, outwaits: true } },
  submitted: {
    'something submitted': { answers: [submitted], options: { tools: { submit: submitTool() } } },
    'something that a tool submits': { answers: [call('hand_in')], file: once },
    'something submitted beside a call that the time cuts': { answers: [both('hand_in', 'hang')], options: inTime() },
  },
  halted: {
    'a tool that halts': { answers: [call('stop')], file: once },
    'a tool that halts before a call that a person has to approve': { answers: [both('stop', 'pay')], file: once },
    'a hook after the model that halts, with calls': {
      answers: [both('echo', 'pay')],
      options: { hooks: { afterModel: () => halt('enough') } },
    },
  },
  custom: {
    'a condition': cases.custom,
    'a hook after the model that finishes, which a verdict forbids': {
      answers: [text('done')],
      options: { hooks: { afterModel: () => finish('enough') }, stopWhen: [forbidding] },
    },
    'something submitted beside a call that the time cuts, which a verdict forbids': {
      answers: [both('hand_in', 'hang')],
      options: inTime(forbidding),
    },
    'a text that was waited for with a call that the time cuts, which a verdict forbids': {
      answers: [{ text: 'the END', toolCalls: [{ tool: 'hang' }], usage }],
      options: inTime(contentMatch('END'), forbidding),
    },
    'something submitted, which a verdict forbids': {
      answers: [submitted],
      options: { tools: { submit: submitTool() }, stopWhen: [forbidding] },
    },
    'something submitted, which a verdict forbids, with a goal after each call': {
      answers: [submitted],
      options: {
        tools: { submit: submitTool() },
        goal: goal(() => false, { check: 'tool_call' }),
        stopWhen: [forbidding],
      },
    },
  },
  schema_validation: {
    'an output that does not fit': {
      answers: [{ output: { score: 'x' } }],
      options: { output: score, repair: false },
      file: scored(0),
    },
  },
  structured_output_exhausted: {
    'an output that never fits': {
      answers: [{ output: { score: 'x' } }],
      options: { output: score, repair: 1 },
      file: scored(1),
    },
  },
  cancelled: { 'a cancellation': { answers: [call('cancel'), text('done')], file: once } },
};

function byKind<TKind extends string>(each: Readonly<Record<TKind, Behaviour>>): Readonly<Record<TKind, Behaviours>> {
  const rows = Object.entries<Behaviour>(each).map(([kind, behaviour]) => [kind, { 'as its options say': behaviour }]);
  return Object.fromEntries(rows);
}
