import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isWithin } from '../../run/journal/scope-path.js';
import { checkOptions, invalidOption, someText } from '../../stop/check-option.js';
import { stopConditionsToJson } from '../../stop/condition-json.js';
import { hardLimits } from '../../stop/hard-limits.js';
import { checkConditions } from '../../stop/resume-conditions.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import { causeChain, rootCause } from '../../termination/root-cause.js';
import { stageKey } from '../machine/pipeline-key.js';
import type { PipelineResumeOptions } from '../pipeline-definition.js';
import {
  type ConvergenceChanges,
  convergenceChanges,
  isListOfTexts,
  refuseUnasked,
  refuseUnchangedBudget,
} from './convergence-changes.js';

type ForUnits = 'stopWhen' | 'without' | 'guidance' | keyof ConvergenceChanges;

/** The options of a resume as the run takes them: what is for an agent or a convergence goes to the one that ended. */
export async function resumeOptions<TOptions extends Omit<PipelineResumeOptions, 'engine'>>(
  options: TOptions,
  before: Ending | undefined,
  journal: () => Promise<readonly JournalEntry[]>,
): Promise<Omit<TOptions, ForUnits>> {
  checkChanges(options);
  const { stopWhen, without, guidance, budgets: _, facts: _facts, settled: _settled, note: _note, ...rest } = options;
  refuseSteps(options, before);
  const changes = {
    ...(stopWhen !== undefined && { stopWhen: stopConditionsToJson(stopWhen) }),
    ...(without !== undefined && { without }),
    ...(guidance !== undefined && { guidance }),
    ...convergenceChanges(options, options.by),
  };
  if (options.at === undefined) {
    refuseUnchangedBudget(options, before);
    refuseUnasked(options, before);
  }
  if (Object.keys(changes).length === 0) return rest;
  const at = options.at ?? pathOfEnded(before);
  if (at === '' && before !== undefined) throw nobodyToTell(Object.keys(changes));
  const ofConditions = stopWhen === undefined ? {} : hardLimits(stopWhen);
  if (options.at === undefined && before !== undefined && isOfStageCode(before)) {
    // Whatever runs there takes up the limits of conditions.
    const isTaken = (change: string): boolean => change === 'stopWhen' && Object.keys(ofConditions).length > 0;
    const unheard = Object.keys(changes).filter((change) => !isTaken(change));
    if (unheard.length > 0 && ranNothing(await journal(), at)) throw nobodyToTell(unheard);
  }
  const limits = { ...ofConditions, ...options.limits };
  return { ...rest, at, changes: { at, ...changes }, ...(Object.keys(limits).length > 0 && { limits }) };
}

/** All options there are; the type makes sure that none is forgotten. */
const known: Required<Record<keyof PipelineResumeOptions, true>> = {
  alwaysReplay: true,
  answers: true,
  at: true,
  budgets: true,
  by: true,
  deadlines: true,
  engine: true,
  facts: true,
  guidance: true,
  limits: true,
  note: true,
  onEntry: true,
  onPause: true,
  settled: true,
  signal: true,
  stopWhen: true,
  without: true,
};

/** Refuses options that do not exist, and what no agent could be told. */
function checkChanges(options: Omit<PipelineResumeOptions, 'engine'>): void {
  const builder = 'resume';
  checkOptions(options, builder, Object.keys(known) as never[]);
  const { stopWhen, without, guidance } = options;
  if (stopWhen !== undefined) checkConditions(stopWhen);
  if (without !== undefined && !isListOfTexts(without))
    throw invalidOption(without, { builder, option: 'without' }, 'a list of names of stop conditions');
  if (guidance !== undefined) someText(guidance, { builder, option: 'guidance' });
}

/** A pipeline takes steps of its own, so a limit of them would mean something else than it says. */
function refuseSteps({ limits, at }: Omit<PipelineResumeOptions, 'engine'>, before: Ending | undefined): void {
  if (limits?.steps === undefined || (at ?? pathOfEnded(before)) !== '') return;
  throw new FullstopError(
    'INVALID_OPTION',
    'The steps of a whole pipeline cannot be limited; limit those of a stage, with at: path.',
  );
}

/** The pipeline itself has no use for them, and there may be several agents and convergences in it. */
function nobodyToTell(changes: readonly string[]): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `resume: ${changes.join(', ')} is for an agent or a convergence, and the run did not end in one; name its stage with at: 'path'.`,
  );
}

/** True where the code of a stage threw: a plain function, or whatever it runs itself. */
function isOfStageCode(before: Ending): boolean {
  const cause = rootCause(before);
  return cause.kind === 'failed' && cause.origin === 'stage';
}

/** True when the journal holds nothing of what the work of a stage did: it was a function that no change reaches. */
function ranNothing(journal: readonly JournalEntry[], at: string): boolean {
  return !journal.some(({ scope, key }) => (scope === at ? key !== stageKey : isWithin(scope, at)));
}

/** The innermost unit that an ending comes from. */
function pathOfEnded(ending: Ending | undefined): string {
  const last = ending === undefined ? undefined : causeChain(ending).at(-1);
  return last?.others?.at(-1)?.child.path ?? last?.child.path ?? '';
}
