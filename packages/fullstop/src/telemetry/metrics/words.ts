import type { Outcome } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { builtIns } from '../../termination/registry.js';
import type { TelemetryOptions } from '../options.js';

/** How an ending is called in the `pipeline.*` instruments. */
export interface Words {
  outcome(outcome: Outcome): string;
  cause(termination: AnyTermination, tag: string): string;
}

const own: Words = { outcome: (outcome) => outcome, cause: (_, tag) => tag };

const needlrOutcomes: Readonly<Record<Outcome, string>> = {
  succeeded: 'Succeeded',
  skipped: 'Skipped',
  // The vocabulary has no other word for what is not through.
  paused: 'Failed',
  cancelled: 'Failed',
  failed: 'Failed',
};

const needlrCauses: ReadonlyMap<string, string> = new Map([
  ['budget_pressure', 'BudgetPressure'],
  ['cancelled', 'Cancelled'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['flow_completed', 'Completed'],
  ['max_iterations', 'MaxIterationsReached'],
  ['max_tool_calls', 'MaxToolCallsReached'],
  ['natural_end', 'NaturalCompletion'],
  ['skipped', 'Skipped'],
  ['stall_detected', 'StallDetected'],
]);
const needlrWords = new Set([...needlrCauses.values(), 'CompletedEarlyAfterToolCall', 'Custom']);

const needlr: Words = {
  outcome: (outcome) => needlrOutcomes[outcome],
  cause(termination, tag) {
    if (termination.kind === 'completed' && termination.check === 'tool_call') return 'CompletedEarlyAfterToolCall';
    // Third parties say their own word there too; what is built in here and unknown there is not theirs.
    const otherwise = builtIns.find(termination.kind) === undefined ? tag : 'Custom';
    return needlrCauses.get(termination.kind) ?? otherwise;
  },
};

export function wordsOf(dialect: TelemetryOptions['dialect']): Words {
  return dialect === 'needlr' ? needlr : own;
}

/** True for the words of which there is only so many. */
export function isCommonCause(word: string): boolean {
  return builtIns.find(word) !== undefined || needlrWords.has(word);
}
