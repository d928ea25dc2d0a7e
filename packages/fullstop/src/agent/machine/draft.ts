import { addUsd } from '../../engines/port/money.js';
import type { AgentState, Counts, Draft } from './state.js';

/** A copy to work on. Spelled out, which is ten times faster than a spread of so many members. */
export function draftOf(state: AgentState): Draft {
  return {
    phase: state.phase,
    resumed: state.resumed,
    messages: state.messages,
    iterations: state.iterations,
    toolCalls: state.toolCalls,
    children: state.children,
    observations: state.observations,
    counts: state.counts,
    usage: state.usage,
    costUsd: state.costUsd,
    estimated: state.estimated,
    time: state.time,
    text: state.text,
    finish: state.finish,
    rawFinish: state.rawFinish,
    status: state.status,
    silences: state.silences,
    round: state.round,
    conditions: state.conditions,
    wrapUp: state.wrapUp,
    unsaid: state.unsaid,
    promptTokens: state.promptTokens,
    compactedAt: state.compactedAt,
    repairs: state.repairs,
    roundsOfIteration: state.roundsOfIteration,
    outputCap: state.outputCap,
    starved: state.starved,
    asked: state.asked,
    violations: state.violations,
    finished: state.finished,
    output: state.output,
    hasOutput: state.hasOutput,
    withheld: state.withheld,
    limit: state.limit,
    ending: state.ending,
    also: state.also,
    takenOver: state.takenOver,
    endNotified: state.endNotified,
  };
}

/** Adds to the counts. Spelled out too: a name that is only known when it is called makes the copy slow. */
export function addCounts(counts: Counts, more: Partial<Counts>): Counts {
  return {
    iterations: counts.iterations + (more.iterations ?? 0),
    rounds: counts.rounds + (more.rounds ?? 0),
    toolCalls: counts.toolCalls + (more.toolCalls ?? 0),
    modelCalls: counts.modelCalls + (more.modelCalls ?? 0),
    judgements: counts.judgements + (more.judgements ?? 0),
  };
}

/** Adds the usage of a model call or of an agent inside this one. */
export function addUsage(
  draft: Draft,
  used: {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly costUsd?: number | null;
    readonly estimated?: boolean;
  },
): void {
  const inputTokens = draft.usage.inputTokens + (used.inputTokens ?? 0);
  const outputTokens = draft.usage.outputTokens + (used.outputTokens ?? 0);
  draft.usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  if (used.estimated === true) draft.estimated = true;
  const { costUsd = null } = used;
  draft.costUsd = draft.costUsd === null || costUsd === null ? null : addUsd(draft.costUsd, costUsd);
}
