import { checkCarried } from '../../run/check-run-options.js';
import { checkOptions, invalidOption, wholeLimit } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import { hookNames } from '../perform/ask-hook.js';
import type { RunAgentOptions } from '../run-agent.js';
import type { AnyAgentOptions } from './agent-options.js';
import { checkNestedOptions } from './check-nested-options.js';
import { checkTools } from './check-tools.js';

/** Every option, so that a misspelt one is found; a new one that is not listed here does not compile. */
const known: Readonly<Record<keyof AnyAgentOptions, true>> = {
  allowUnknownPrices: true,
  compaction: true,
  customTags: true,
  fallbackModels: true,
  goal: true,
  graceMs: true,
  hooks: true,
  instructions: true,
  model: true,
  name: true,
  onEnding: true,
  output: true,
  permissions: true,
  prices: true,
  promptFor: true,
  raiseOutputCap: true,
  repair: true,
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

const builder = 'defineAgent';
const checks: readonly unknown[] = ['iteration', 'tool_rounds', 'tool_call'];

/** Refuses options that mean nothing, or that would make a run hang, before anything starts. */
export function checkAgentOptions(options: AnyAgentOptions): void {
  refuseMisplaced(options);
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
  const { promptFor, fallbackModels } = options;
  if (promptFor !== undefined && typeof promptFor !== 'function')
    throw invalidOption(promptFor, { builder, option: 'promptFor' }, 'a function');
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
  checkOptions(options, 'runAgent', Object.keys({ ...known, ...ofRun }) as never);
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
