import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnswerRules } from '../../run/changes/refuse-same-answer.js';
import { type JournalledChanges, readChanges } from '../../run/changes/resume-changes.js';

/** The rules for answers that hold with a change. */
export function changeAnswerRules(
  { cap, repair }: AnswerRules,
  { settings, repair: more }: Pick<JournalledChanges, 'settings' | 'repair'>,
): AnswerRules {
  // Without a schema there is nothing to repair.
  return { cap: settings?.maxOutputTokens ?? cap, repair: repair === undefined ? undefined : (more ?? repair) };
}

/** The rules for answers after all resumes of a journal, for the run itself or for the agent at a path. */
export function answerRulesAfter(first: AnswerRules, journal: readonly JournalEntry[], path = ''): AnswerRules {
  let rules = first;
  for (const entry of journal) {
    if (entry.type === 'segment_opened') rules = changeAnswerRules(rules, readChanges(entry.data.options ?? {}, path));
  }
  return rules;
}
