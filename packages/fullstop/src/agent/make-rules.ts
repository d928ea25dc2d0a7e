import type { StopCondition } from '../stop/condition.js';
import { changesIn, withChanges } from './changes.js';
import type { CompactionOptions } from './compaction.js';
import type { Prepared } from './prepared.js';
import type { AgentRules, ToolRule } from './rules.js';
import { unitOf } from './unit-tool.js';

const usualWrapUp =
  'A budget of this task is nearly used up. This is the last turn: give the final answer now, with what you have, and start nothing new.';

/** The rules for one execution. What resumes change is for the run itself, not for agents inside it. */
export function rulesOf(
  prepared: Prepared,
  isRoot: boolean,
  custom: () => readonly StopCondition<string>[],
): AgentRules {
  const { options, name, goal, tools, stopWhen } = prepared;
  const { hooks, repair = 2, output, settings, toolConcurrency, wrapUp = usualWrapUp } = options;
  const conditions: (readonly StopCondition<string>[])[] = [stopWhen];
  return {
    name,
    conditions,
    changeWith(resumed, opened) {
      const changes = isRoot ? changesIn(opened) : {};
      conditions[resumed] = withChanges(conditions[resumed - 1] ?? stopWhen, changes, custom());
      return changes.guidance === undefined ? {} : { guidance: changes.guidance };
    },
    tools: new Map([...tools].map(([tool, each]) => [tool, toolRule(each.tool)])),
    concurrency: toolConcurrency,
    goal: goal?.check,
    repair: output === undefined ? undefined : repair,
    maxOutputTokens: settings?.maxOutputTokens,
    wrapUp,
    compactAt: compactAt(options.compaction),
    hooks: {
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

function toolRule(tool: Parameters<typeof unitOf>[0] & object): ToolRule {
  const { needsApproval, idempotent } = tool;
  const gated = needsApproval === true || typeof needsApproval === 'function';
  return { gated, once: idempotent !== true, unit: unitOf(tool) !== undefined };
}
