import { z } from 'zod';
import type { AnyAgentOptions } from '../agent/options/agent-options.js';
import { finish, halt } from '../agent/options/directive.js';
import { goal } from '../agent/options/goal.js';
import type { AgentHooks } from '../agent/options/hooks.js';
import { submitTool } from '../agent/tools/submit-tool.js';
import { requireApproval } from '../agent/tools/tool.js';
import type { Engine } from '../engines/port/engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { type ScriptedModel, scriptedModel } from '../models/scripted/scripted-model.js';
import { consecutiveErrors } from '../stop/conditions/consecutive-errors.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { loopDetection } from '../stop/conditions/loop-detection.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { stopOnTool } from '../stop/conditions/stop-on-tool.js';
import { timeout } from '../stop/conditions/timeout.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { terminations } from '../termination/terminations.js';

/** The run that a behaviour happens in. */
export const runId = 'r';

export interface Behaviour {
  /** The answer of the model in each round; the last one is repeated. A list holds the attempts of a round. */
  readonly answers: readonly (ScriptAnswer | readonly ScriptAnswer[])[];
  readonly options?: Omit<AnyAgentOptions, 'model' | 'name'>;
  /** The same options in a workflow file; absent where a file has no word for them. */
  readonly yaml?: string;
}

const usage = { inputTokens: 10, outputTokens: 10 };
const text = (words: string): ScriptAnswer => ({ text: words, usage });
const call = (tool: string, input: Record<string, string> = {}): ScriptAnswer => ({
  toolCalls: [{ tool, input }],
  usage,
});
const both = (...tools: readonly string[]): ScriptAnswer => ({ toolCalls: tools.map((tool) => ({ tool })), usage });
const throwing = (hook: 'beforeTool' | 'afterTool'): AgentHooks => ({
  [hook]: ({ tool }: { readonly tool: string }) => {
    if (tool === 'echo') throw new Error('no policy');
  },
});
const forbidding = stopCondition('policy', () => terminations.custom({ reason: 'no', category: 'fatal' }));
const error = (status: number): ScriptAnswer => ({ error: { status } });
const score = z.object({ score: z.number() });

/** The tools that every behaviour has. */
export function toolsOf(engine: Engine): NonNullable<AnyAgentOptions['tools']> {
  const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
  return {
    echo: { inputSchema, execute: (input: object) => input },
    strict: { inputSchema: { ...inputSchema, required: ['q'] }, execute: (input: object) => input },
    broken: { inputSchema, execute: () => Promise.reject(new Error('broken')) },
    stop: { inputSchema, execute: () => halt('enough') },
    pay: requireApproval({ inputSchema, execute: () => 'paid' }),
    cancel: { inputSchema, execute: () => engine.cancel(runId, { by: 'operator', reason: 'enough' }) },
  };
}

/** One row each; whoever adds a finish word, an ending or a policy adds a row. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  'a text': { answers: [text('done')], yaml: '' },
  'a tool, then a text': { answers: [call('echo'), text('done')], yaml: '' },
  'an empty answer': { answers: [{ text: '', usage }], options: { stopWhen: [maxIterations(3)] } },
  'an unknown finish word': { answers: [{ text: 'done', finish: 'other' }], options: { stopWhen: [maxIterations(3)] } },
  'an interrupted answer': {
    answers: [{ text: 'do', finish: 'interrupted' }],
    options: { stopWhen: [maxIterations(3)] },
  },
  'an answer cut at its length': { answers: [{ text: 'and then', error: 'length' }], yaml: '' },
  'an answer stopped by a filter': { answers: [{ text: 'I', error: 'filter' }], yaml: '' },
  'a refusal': { answers: [{ text: 'I cannot', error: 'refusal' }], yaml: '' },
  'a prompt that is too long': { answers: [{ error: 'context_length' }], yaml: '' },
  'status 401': { answers: [error(401)], yaml: '' },
  'status 402': { answers: [error(402)], yaml: '' },
  'status 403': { answers: [error(403)], yaml: '' },
  'status 404': { answers: [error(404)], yaml: '' },
  'status 429 for ever': {
    answers: [error(429)],
    options: { retry: { attempts: 2 } },
    yaml: 'retry: {max_attempts: 2}',
  },
  'status 429, then a text': { answers: [[error(429), text('done')]], options: { retry: { attempts: 2 } } },
  'status 500 for ever': {
    answers: [error(500)],
    options: { retry: { attempts: 2 } },
    yaml: 'retry: {max_attempts: 2}',
  },
  'a stream that is cut': { answers: [{ text: 'one two', error: 'stream_cut' }], options: { retry: { attempts: 2 } } },
  'no network': { answers: [{ error: 'network' }], options: { retry: { attempts: 2 } } },
  'a tool that fails, then a text': { answers: [call('broken'), text('done')], yaml: '' },
  'a tool that fails again and again': { answers: [call('broken')], options: { stopWhen: [consecutiveErrors(2)] } },
  'an unknown tool': { answers: [call('nope')], options: { stopWhen: [consecutiveMistakes(2)] } },
  'arguments that are no JSON': {
    answers: [{ toolCalls: [{ tool: 'echo', inputText: '{' }], usage }],
    options: { stopWhen: [consecutiveMistakes(2)] },
  },
  'arguments that do not fit': { answers: [call('strict')], options: { stopWhen: [consecutiveMistakes(2)] } },
  'too many iterations': {
    answers: [call('echo')],
    options: { stopWhen: [maxIterations(2)] },
    yaml: 'max_agent_iterations: 2',
  },
  'too many tool calls': { answers: [call('echo')], options: { stopWhen: [maxToolCalls(2)] } },
  'too many tokens': { answers: [call('echo')], options: { stopWhen: [tokenBudget({ total: 50 })] } },
  'too much time': {
    answers: [{ ...text('late'), delay: '2s' }],
    options: { stopWhen: [timeout({ model: 100 })], retry: { attempts: 1 } },
  },
  'the same call again and again': { answers: [call('echo', { q: 'x' })], options: { stopWhen: [loopDetection()] } },
  'a word that ends the loop': {
    answers: [{ text: 'the END', toolCalls: [{ tool: 'echo' }] }],
    options: { stopWhen: [contentMatch('END')] },
  },
  'a tool that ends the loop': { answers: [call('echo')], options: { stopWhen: [stopOnTool('echo')] } },
  'an approval': { answers: [call('pay')] },
  'something submitted': {
    answers: [{ toolCalls: [{ tool: 'submit', input: { score: 7 } }], usage }],
    options: { tools: { submit: submitTool() } },
  },
  'a tool that halts': { answers: [call('stop')], yaml: '' },
  'a tool that halts before a call that a person has to approve': {
    answers: [both('stop', 'pay')],
    yaml: '',
  },
  'a hook that throws before a call': { answers: [both('echo', 'pay')], options: { hooks: throwing('beforeTool') } },
  'a hook that throws after a call': { answers: [both('echo', 'pay')], options: { hooks: throwing('afterTool') } },
  'something submitted before a call at which a hook throws': {
    answers: [{ toolCalls: [{ tool: 'submit', input: { score: 7 } }, { tool: 'echo' }], usage }],
    options: { tools: { submit: submitTool() }, hooks: throwing('beforeTool') },
  },
  'a hook after the model that halts, with calls': {
    answers: [both('echo', 'pay')],
    options: { hooks: { afterModel: () => halt('enough') } },
  },
  'a hook after the model that finishes, which a verdict forbids': {
    answers: [text('done')],
    options: { hooks: { afterModel: () => finish('enough') }, stopWhen: [forbidding] },
  },
  'something submitted, which a verdict forbids': {
    answers: [{ toolCalls: [{ tool: 'submit', input: { score: 7 } }, { tool: 'echo' }], usage }],
    options: { tools: { submit: submitTool() }, stopWhen: [forbidding] },
  },
  'something submitted, which a verdict forbids, with a goal after each call': {
    answers: [{ toolCalls: [{ tool: 'submit', input: { score: 7 } }, { tool: 'echo' }], usage }],
    options: {
      tools: { submit: submitTool() },
      goal: goal(() => false, { check: 'tool_call' }),
      stopWhen: [forbidding],
    },
  },
  'a goal that is reached': { answers: [call('echo')], options: { goal: goal(({ toolCalls }) => toolCalls > 0) } },
  'a goal that throws': {
    answers: [call('echo')],
    options: {
      goal: goal(() => {
        throw new TypeError('bad predicate');
      }),
    },
  },
  'an output that does not fit': { answers: [{ output: { score: 'x' } }], options: { output: score, repair: false } },
  'an output that never fits': { answers: [{ output: { score: 'x' } }], options: { output: score, repair: 1 } },
  'an output that fits': { answers: [{ output: { score: 7 } }], options: { output: score } },
  'a cancellation': { answers: [call('cancel'), text('done')], yaml: '' },
};

/** The answers depend on the conversation alone, so that another process receives the same ones. */
export function modelOf({ answers }: Behaviour, clock: Engine['clock']): ScriptedModel {
  const attempts = new Map<number, number>();
  return scriptedModel(
    ({ options }) => {
      const round = options.prompt.filter(({ role }) => role === 'assistant').length;
      const attempt = attempts.get(round) ?? 0;
      attempts.set(round, attempt + 1);
      const said = answers[Math.min(round, answers.length - 1)] as ScriptAnswer | readonly ScriptAnswer[];
      return Array.isArray(said) ? (said[Math.min(attempt, said.length - 1)] as ScriptAnswer) : (said as ScriptAnswer);
    },
    { clock },
  );
}
