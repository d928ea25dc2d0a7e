import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { StopCondition } from '../../stop/condition.js';
import type { ConditionStates, LoopObservation } from '../../stop/observation.js';
import { firesAtOnce, resetAfterResume } from '../../stop/resume-conditions.js';
import { describe } from '../../termination/classify.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnswerRules } from '../machine/rules.js';
import type { AgentState } from '../machine/state.js';

interface Resumption {
  readonly engine: Engine;
  readonly runId: string;
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
  const { engine, runId, conditions, fold } = resumption;
  const envelope = await engine.ending(runId);
  if (envelope === undefined || envelope.category !== 'capacity') return;
  refuseSameAnswer(envelope, resumption);
  const standing = standingOf(envelope, await engine.journal(runId, { newest: lastEntries })) ?? (await foldStanding());
  if (standing === undefined) return;
  const ended = [envelope.termination, ...envelope.also];
  const states = resetAfterResume(conditions, standing.states, ended);
  const [first] = firesAtOnce(conditions, states, standing.observation);
  if (first === undefined) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once, as ${first.kind}: ${describe(first)} Resume it with stopWhen: [a larger limit], or without: ['the condition'].`,
    { details: { option: 'stopWhen', runId, summary: describe(first) } },
  );

  async function foldStanding(): Promise<Standing | undefined> {
    const state = fold(await engine.journal(runId));
    const observation = state.observations.items[state.observations.length - 1];
    return observation && { observation, states: state.conditions };
  }
}

/** Refuses to ask for the same answer with the same cap, or for a correction beyond the number of them. */
function refuseSameAnswer({ termination, runId }: Envelope, { answers, isGuided }: Resumption): void {
  if (isGuided) return;
  const { cap, repair } = answers;
  if (termination.kind === 'output_truncated' && termination.cap !== undefined && cap !== undefined) {
    if (cap > termination.cap) return;
    throw unchanged(runId, describe(termination), {
      option: 'settings.maxOutputTokens',
      used: termination.cap,
      way: `settings: { maxOutputTokens: … } above ${termination.cap}`,
    });
  }
  if (termination.kind !== 'structured_output_exhausted' || typeof repair !== 'number') return;
  const used = termination.attempts - 1;
  if (repair > used) return;
  throw unchanged(runId, describe(termination), { option: 'repair', used, way: `repair: … above ${used}` });
}

interface Unchanged {
  readonly option: string;
  readonly used: number;
  readonly way: string;
}

function unchanged(runId: string, summary: string, { option, used, way }: Unchanged): FullstopError {
  return new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would end the same way again: ${summary} Resume it with ${way}, or with guidance for the model.`,
    { details: { option, used, runId, summary } },
  );
}

/** The standing in the last observation of a run, if that is what ended it. */
function standingOf({ segment }: Envelope, entries: readonly JournalEntry[]): Standing | undefined {
  const last = entries.findLast(({ type, scope }) => type === 'observed' && scope === '');
  if (last === undefined || last.segment !== segment) return undefined;
  const observation = last.data as unknown as LoopObservation;
  return observation.states && { observation, states: observation.states };
}
