import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { type AnswerRules, refuseSameAnswer } from '../../run/changes/refuse-same-answer.js';
import type { StopCondition } from '../../stop/condition.js';
import { describeAtOnce } from '../../stop/describe-at-once.js';
import type { ConditionStates, LoopObservation } from '../../stop/observation.js';
import { firesAtOnce, resetAfterResume } from '../../stop/resume-conditions.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AgentState } from '../machine/state.js';

interface Resumption {
  readonly engine: Engine;
  readonly runId: string;
  /** The path of the agent that is to continue: empty, or that of one that took over. */
  readonly path: string;
  /** The conditions that are to hold. */
  readonly conditions: readonly StopCondition<string>[];
  /** The rules for answers that are to hold. */
  readonly answers: AnswerRules;
  /** True when the model is told something before it continues. */
  readonly isGuided: boolean;
  /** The state of the loop, for runs whose last entries do not say enough. */
  fold(journal: readonly JournalEntry[]): AgentState;
}

/** The place of the loop when it ended. */
interface Standing {
  readonly observation: LoopObservation;
  readonly states: ConditionStates;
}

/** After the observation that ended a run come the endings of its units and its own. */
const lastEntries = 20;

/** Refuses a resume that would stop at its first evaluation, before it has begun. */
export async function refuseUnchanged(resumption: Resumption): Promise<void> {
  const { engine, runId, path, conditions, fold } = resumption;
  const envelope = await engine.ending(runId);
  if (envelope === undefined || envelope.category !== 'capacity') return;
  const { answers, isGuided } = resumption;
  if (!isGuided) refuseSameAnswer({ name: `The run ${runId}`, runId }, envelope.termination, answers);
  const standing =
    path === ''
      ? (standingOf(envelope, path, await engine.journal(runId, { newest: lastEntries })) ?? (await foldStanding()))
      : standingOf(envelope, path, await engine.journal(runId));
  if (standing === undefined) return;
  const ended = [envelope.termination, ...envelope.also];
  const states = resetAfterResume(conditions, standing.states, ended);
  const [first] = firesAtOnce(conditions, states, standing.observation);
  if (first === undefined) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once, as ${first.kind}: ${describeAtOnce(first)} Resume it with stopWhen: [a larger limit], or without: ['the condition'].`,
    { details: { option: 'stopWhen', runId, summary: describeAtOnce(first) } },
  );

  async function foldStanding(): Promise<Standing | undefined> {
    const state = fold(await engine.journal(runId));
    const observation = state.observations.items[state.observations.length - 1];
    return observation && { observation, states: state.conditions };
  }
}

/** The standing in the last observation of an agent, if that is what ended it. */
function standingOf({ segment }: Envelope, path: string, entries: readonly JournalEntry[]): Standing | undefined {
  const last = entries.findLast(({ type, scope }) => type === 'observed' && scope === path);
  if (last === undefined || last.segment !== segment) return undefined;
  const observation = last.data as unknown as LoopObservation;
  return observation.states && { observation, states: observation.states };
}
