import { checkCarried, checkRunOptions } from '../../run/check-run-options.js';
import { checkOptions, invalidOption, someFunction, trueOrFalse, wholeLimit } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { AgentResumeOptions, AgentRunOptions } from '../agent.js';
import { hookNames } from '../perform/ask-hook.js';
import type { RunAgentOptions } from '../run-agent.js';
import type { AnyAgentOptions } from './agent-options.js';
import { checkNestedOptions } from './check-nested-options.js';
import { checkTools } from './check-tools.js';
import { refuseOtherNames } from './other-names.js';

/** Every option, so that a misspelt one is found; a new one that is not listed here does not compile. */
const known: Readonly<Record<keyof AnyAgentOptions, true>> = {
  allowUnknownPrices: true,
  compaction: true,
  context: true,
  customTags: true,
  fallbackModels: true,
  goal: true,
  graceMs: true,
  hooks: true,
  instructions: true,
  model: true,
  name: true,
  needsContext: true,
  onEnding: true,
  output: true,
  permissions: true,
  prepareStep: true,
  prices: true,
  promptFor: true,
  raiseOutputCap: true,
  repair: true,
  repairToolCall: true,
  retry: true,
  roundsPerIteration: true,
  secrets: true,
  settings: true,
  stopWhen: true,
  terminations: true,
  toolConcurrency: true,
  tools: true,
  treatAsSuccess: true,
  version: true,
  wrapUp: true,
};

const ofRun: Readonly<Record<Exclude<keyof RunAgentOptions, keyof AnyAgentOptions>, true>> = {
  alwaysReplay: true,
  clock: true,
  engine: true,
  onDelta: true,
  onEntry: true,
  onPause: true,
  onStart: true,
  prompt: true,
  runId: true,
  signal: true,
};

/** The options of a start; the context is an option of the agent too. */
const ofStart = [...Object.keys(ofRun).filter((option) => option !== 'prompt'), 'context'];

const ofResume: Readonly<Record<keyof AgentResumeOptions | 'context', true>> = {
  alwaysReplay: true,
  answers: true,
  by: true,
  context: true,
  deadlines: true,
  engine: true,
  guidance: true,
  onDelta: true,
  onEntry: true,
  onPause: true,
  onlyAfter: true,
  repair: true,
  settings: true,
  signal: true,
  stopWhen: true,
  without: true,
};

const ofAgent = Object.keys(known);

const builder = 'defineAgent';
const checks: readonly unknown[] = ['iteration', 'tool_rounds', 'tool_call'];

/** Refuses options that mean nothing, or that would make a run hang, before anything starts. */
export function checkAgentOptions(options: AnyAgentOptions): void {
  refuseMisplaced(options);
  refuseOtherNames(options, builder, { here: ofAgent, ofAgent, ofRun: Object.keys(ofRun) });
  checkOptions(options, builder, Object.keys(known) as (keyof AnyAgentOptions)[]);
  checkNestedOptions(options);
  checkCarried(options, builder);
  checkForms(options);
  const { toolConcurrency, repair, goal, tools, hooks } = options;
  if (toolConcurrency !== undefined) wholeLimit(toolConcurrency, { builder, option: 'toolConcurrency' });
  if (repair !== undefined && repair !== false) wholeLimit(repair, { builder, option: 'repair' });
  if (tools !== undefined) checkTools(tools);
  if (hooks !== undefined) checkHooks(hooks);
  if (goal === undefined || isGoal(goal)) return;
  throw invalidOption(goal, { builder, option: 'goal' }, 'made with goal((view) => …)');
}

/** Refuses what would be found out in the middle of a run, or never. */
function checkForms(options: AnyAgentOptions): void {
  for (const option of ['instructions', 'wrapUp'] as const) {
    const given: unknown = options[option];
    if (given !== undefined && typeof given !== 'string') throw invalidOption(given, { builder, option }, 'a text');
  }
  const { fallbackModels, context, needsContext } = options;
  if (context !== undefined && typeof context !== 'function')
    throw invalidOption(
      context,
      { builder, option: 'context' },
      'a function (run) => …; a context itself is given to run(input, { context })',
    );
  if (needsContext !== undefined) trueOrFalse(needsContext, { builder, option: 'needsContext' });
  for (const option of ['prepareStep', 'promptFor', 'repairToolCall'] as const)
    if (options[option] !== undefined) someFunction(options[option], { builder, option });
  if (fallbackModels !== undefined && !Array.isArray(fallbackModels))
    throw invalidOption(fallbackModels, { builder, option: 'fallbackModels' }, 'a list of models');
}

/** Options of one run are no options of the agent, however near they are in `runAgent`. */
function refuseMisplaced(options: object): void {
  if (!isObject(options)) return;
  const misplaced = Object.keys(options).find((option) => Object.hasOwn(ofRun, option));
  if (misplaced === undefined) return;
  const way = misplaced === 'prompt' ? 'run(prompt)' : `run(input, { ${misplaced} })`;
  throw new FullstopError(
    'INVALID_OPTION',
    `${builder} has no option ${JSON.stringify(misplaced)}: it is given to ${way}.`,
  );
}

/** Refuses options that neither an agent nor its run has. */
export function checkRunAgentOptions(options: object): void {
  const here = Object.keys({ ...known, ...ofRun });
  refuseOtherNames(options, 'runAgent', { here, ofAgent, ofRun: ofStart });
  checkOptions(options, 'runAgent', here as never);
}

/** Refuses options that a start does not have, and values that mean nothing in it. */
export function checkStart(options: AgentRunOptions, agent: string): void {
  const start = `The start of ${agent}`;
  refuseOtherNames(options, start, { here: ofStart, ofAgent, ofRun: ofStart });
  checkRunOptions(options, start, ofStart);
}

/** Refuses options that a resume does not have, and values that mean nothing in it. */
export function checkResume(options: AgentResumeOptions<string>, agent: string): void {
  const resume = `The resume of ${agent}`;
  // Of the settings only the cap can change, so the others are not found here.
  const here = Object.keys(ofResume).filter((option) => option !== 'settings');
  refuseOtherNames(options, resume, { here: [...here, 'settings: { maxOutputTokens }'], ofAgent, ofRun: ofStart });
  checkRunOptions(options, resume, Object.keys(ofResume));
}

function isGoal(goal: unknown): boolean {
  return isObject(goal) && typeof goal['isReached'] === 'function' && checks.includes(goal['check']);
}

function checkHooks(hooks: unknown): void {
  if (!isObject(hooks)) throw invalidOption(hooks, { builder, option: 'hooks' }, 'one object with a function per hook');
  for (const hook of hookNames) {
    const given = hooks[hook];
    if (given !== undefined && typeof given !== 'function')
      throw invalidOption(given, { builder, option: `hooks.${hook}` }, 'a function');
  }
  for (const [name, given] of Object.entries(hooks)) {
    // A guard under a misspelt name would guard nothing; other functions are the hooks' own business.
    const hint = typeof given === 'function' ? suggestion(name, hookNames) : '';
    if (hint === '' || (hookNames as readonly string[]).includes(name)) continue;
    throw new FullstopError(
      'INVALID_OPTION',
      `hooks: there is no hook ${JSON.stringify(name)}${hint}; there are ${hookNames.join(', ')}.`,
    );
  }
}
