import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { ChangeReceiver } from '../../run/changes/change-receiver.js';
import { changeConditions, conditionsAfter } from '../../run/changes/changed-conditions.js';
import type { AnswerRules } from '../../run/changes/refuse-same-answer.js';
import { readChanges } from '../../run/changes/resume-changes.js';
import type { StopCondition } from '../../stop/condition.js';
import { refuseIdleConditions } from '../../stop/refuse-idle-conditions.js';
import type { JsonObject } from '../../termination/json.js';
import { answerRulesAfter, changeAnswerRules } from '../options/changes.js';
import { type AgentAtWork, agentAtWork, type HandingAgent } from './agent-at-work.js';

/** The rules under which an agent continues. */
interface RulesAtWork {
  readonly conditions: readonly StopCondition<string>[];
  readonly answers: AnswerRules;
}

/** The rules of the agent at work with what a resume changes, after the resumes before it. Refuses conditions that can never fire there. */
export function rulesAtWork(
  { agent, path }: AgentAtWork,
  openings: readonly JournalEntry[],
  changes: JsonObject,
): RulesAtWork {
  const custom = agent.custom();
  const changed = readChanges({ changes }, path);
  const before = conditionsAfter(agent.stopWhen, openings, custom, path);
  const conditions = changeConditions(before, changed, custom);
  refuseIdleConditions(conditions, agent.tools);
  return { conditions, answers: changeAnswerRules(answerRulesAfter(agent.answers, openings, path), changed) };
}

/** Takes changes for an agent that runs in a unit, or for the one that it handed over to there. */
export function receiverOfAgent(agent: HandingAgent): ChangeReceiver {
  return async (path, journal) => {
    const work = agent.targets.size === 0 ? { agent, path } : agentAtWork(agent, await journal(), path);
    const { stopWhen, answers } = work.agent;
    return {
      path: work.path,
      stopWhen,
      answers,
      async check(changes, added) {
        work.agent.remember(added);
        const openings = (await journal()).filter(({ type }) => type === 'segment_opened');
        rulesAtWork(work, openings, { ...changes, at: work.path });
      },
    };
  };
}
