import { logOf } from '../../run/log.js';
import type { Ending } from '../../termination/ending.js';
import { addUsage } from './draft.js';
import { proceedToCall } from './iteration.js';
import { causesOfFailure } from './model-failure.js';
import { enterPhase } from './phases.js';
import type { AgentRules } from './rules.js';
import type { CompactionOutcome, Draft } from './state.js';
import { noFacts, weigh } from './weigh.js';

/** Compacts after an overflow, once in an iteration, so that the call is made again. False when that cannot help. */
export function compactAfterOverflow(draft: Draft, rules: AgentRules): boolean {
  const isNew = draft.compactedAt <= draft.counts.iterations;
  if (rules.compactAt === undefined || !isNew) return false;
  draft.compactedAt = draft.counts.iterations + 1;
  enterPhase(draft, 'compacting');
  return true;
}

/** Continues with the shorter conversation. */
export function applyCompaction(draft: Draft, rules: AgentRules, outcome: CompactionOutcome): void {
  if (outcome.charge !== undefined) addUsage(draft, outcome.charge);
  const { failed, failure, attempts = 1, messages, directive, injected } = outcome;
  if (failure !== undefined) {
    const causes = causesOfFailure(draft, failure, { attempts, agent: rules.name });
    weigh(draft, rules, 'before_call', { ...noFacts, causes });
    return;
  }
  if (failed !== undefined) {
    const termination = { kind: 'compaction_failed', ...failed } as Ending;
    weigh(draft, rules, 'before_call', { ...noFacts, causes: [{ slot: 'step_error', termination }] });
    return;
  }
  if (messages !== undefined) draft.messages = logOf(messages);
  draft.promptTokens = 0;
  proceedToCall(draft, rules, {
    ...(directive !== undefined && { directive }),
    ...(injected !== undefined && { injected }),
  });
}
