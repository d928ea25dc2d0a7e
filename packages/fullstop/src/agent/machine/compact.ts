import { logOf } from '../../run/log.js';
import type { Ending } from '../../termination/ending.js';
import { addUsage } from './draft.js';
import { beforeCall } from './iteration.js';
import type { AgentRules } from './rules.js';
import type { CompactionOutcome, Draft, ModelOutcome } from './state.js';
import { weigh } from './weigh.js';

/** Helps an overflow, if it can be: once in an iteration the conversation is compacted and the call made again. */
export function helpsOverflow(draft: Draft, rules: AgentRules, { failure }: ModelOutcome): boolean {
  const isNew = draft.compactedAt <= draft.counts.iterations;
  if (failure?.type !== 'context_length' || rules.compactAt === undefined || !isNew) return false;
  draft.compactedAt = draft.counts.iterations + 1;
  draft.phase = 'compacting';
  return true;
}

/** Goes on with the shorter conversation. */
export function applyCompaction(draft: Draft, rules: AgentRules, outcome: CompactionOutcome): void {
  if (outcome.charge !== undefined) addUsage(draft, outcome.charge);
  const { failed, messages, directive, injected } = outcome;
  if (failed !== undefined) {
    const termination = { kind: 'compaction_failed', ...failed } as Ending;
    weigh(draft, rules, 'before_call', { causes: [{ slot: 'step_error', termination }] });
    return;
  }
  if (messages !== undefined) draft.messages = logOf(messages);
  draft.promptTokens = 0;
  beforeCall(draft, rules, {
    ...(directive !== undefined && { directive }),
    ...(injected !== undefined && { injected }),
  });
}
