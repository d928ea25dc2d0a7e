import { changeConditions } from '../../run/changes/changed-conditions.js';
import { readChanges } from '../../run/changes/resume-changes.js';
import type { StopCondition } from '../../stop/condition.js';
import { timeout } from '../../stop/conditions/timeout.js';
import {
  type AgentRules,
  type OutputRules,
  type SegmentConditions,
  segmentConditions,
  type ToolRule,
} from '../machine/rules.js';
import { unitOf } from '../tools/unit-tool.js';
import { changeAnswerRules } from './changes.js';
import type { CompactionOptions } from './compaction.js';
import type { AgentHooks } from './hooks.js';
import type { Prepared, PreparedTool } from './prepare.js';

/** How often an output is corrected unless the options say otherwise. */
export const usualRepairs = 2;

const usualWrapUp =
  'A budget of this task is nearly used up. This is the last turn: give the final answer now, with what you have, and start nothing new.';

/** Where an agent is executed. */
export interface Place {
  readonly scope: string;
  /** False inside another run. */
  readonly isRoot: boolean;
  /** The time that it has at most, whatever its own conditions say. */
  readonly timeMs?: number | undefined;
  /** The custom conditions that the program knows. */
  readonly custom: () => readonly StopCondition<string>[];
}

/** The rules for one execution. The changes of a resume are for the run itself, or for the agent inside it that they name. */
export function rulesOf(prepared: Prepared, { scope, timeMs, isRoot, custom }: Place): AgentRules {
  const { options, name, goal, tools } = prepared;
  const { hooks, repair = usualRepairs, output, toolConcurrency, wrapUp = usualWrapUp } = options;
  const stopWhen = timeMs === undefined ? prepared.stopWhen : [...prepared.stopWhen, timeOfParent(timeMs)];
  const first = { cap: options.settings?.maxOutputTokens, repair: output === undefined ? undefined : repair };
  const conditions: SegmentConditions[] = [segmentConditions(stopWhen, first)];
  return {
    name,
    conditions,
    changeWith(resumed, opened) {
      const changes = readChanges(opened, scope, isRoot);
      const before = conditions[resumed - 1];
      const answers = changeAnswerRules(before ?? first, changes);
      conditions[resumed] = segmentConditions(changeConditions(before?.list ?? stopWhen, changes, custom()), answers);
      const { guidance, settings: { maxOutputTokens: cap } = {} } = changes;
      return { ...(guidance !== undefined && { guidance }), ...(cap !== undefined && { cap }) };
    },
    tools: new Map([...tools].map(([tool, each]) => [tool, toolRule(each, hooks)])),
    handsOff: [...tools.values()].some(({ tool }) => tool.handsOff === true),
    concurrency: toolConcurrency,
    goal: goal?.check,
    output: outputRules(prepared),
    wrapUp,
    roundsPerIteration: prepared.roundsPerIteration,
    freshPrompt: options.promptFor === undefined ? undefined : { instructions: options.instructions },
    scope,
    compactAt: compactAt(options.compaction),
    hooks: {
      onPrompt: hooks?.onPrompt !== undefined,
      beforeIteration: hooks?.beforeIteration !== undefined,
      afterIteration: hooks?.afterIteration !== undefined,
      onEnd: hooks?.onEnd !== undefined,
    },
  };
}

function compactAt(compaction: CompactionOptions | undefined): number | undefined {
  if (compaction === undefined) return undefined;
  const { contextWindow = Number.POSITIVE_INFINITY, at = 0.6 } = compaction;
  return contextWindow * at;
}

function toolRule({ tool, permission, approval, client, timeoutMs }: PreparedTool, hooks: AgentHooks = {}): ToolRule {
  const { needsApproval, idempotent, outputSchema, toModelOutput } = tool;
  const unit = unitOf(tool) !== undefined;
  const handsOff = unit && tool.handsOff === true;
  const isClient = client !== undefined;
  const asks = permission === 'ask' || needsApproval === true || typeof needsApproval === 'function';
  const isShown = isClient && (outputSchema !== undefined || typeof toModelOutput === 'function');
  return {
    // A call that is no step of its own has nobody else to ask the hook before it.
    gated: asks || isClient || (unit && hooks.beforeTool !== undefined),
    once: idempotent !== true,
    unit,
    denied: typeof permission === 'string' ? undefined : permission.denied,
    approval,
    client: client?.terms,
    handsOff,
    // The ending of an agent that took over is the ending of the run: nobody changes it.
    judged: ((unit && !handsOff) || isClient) && (isShown || hooks.afterTool !== undefined),
    timeoutMs,
  };
}

const usualRaise = 4;

function outputRules({ options, models, prices }: Prepared): OutputRules {
  const { compaction, raiseOutputCap = usualRaise } = options;
  const [model] = models;
  const price = model === undefined ? undefined : prices.priceOf(`${model.provider}/${model.modelId}`);
  return {
    raiseBy: raiseOutputCap === false ? undefined : raiseOutputCap,
    window: compaction?.contextWindow,
    usdPerToken: price === undefined ? undefined : price.outputPerMillion / 1_000_000,
  };
}

/** The time that the parent of an agent has left for it. */
function timeOfParent(timeMs: number): StopCondition<'time_budget'> {
  return { ...timeout({ run: timeMs }), name: 'timeFromOutside' };
}
