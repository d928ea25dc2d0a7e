import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { type ReceiverAtWork, receiverOf } from '../../run/changes/change-receiver.js';
import { refuseSameAnswer } from '../../run/changes/refuse-same-answer.js';
import { refuseUnasked, refuseUnchangedBudget } from '../../run/changes/refuse-unchanged.js';
import { checkChanges, type ResumeChanges, writeChanges } from '../../run/changes/resume-changes.js';
import { modelFailureKinds } from '../../run/ending/model-failure-kinds.js';
import { isWithin } from '../../run/journal/scope-path.js';
import { checkOptions } from '../../stop/check-option.js';
import { hardLimits } from '../../stop/hard-limits.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { causeChain, rootCause } from '../../termination/root-cause.js';
import { stageKey } from '../machine/pipeline-key.js';
import type { placedStages } from '../machine/plan.js';
import type { PipelineResumeOptions } from '../pipeline-definition.js';
import { refuseUnchangedLimit } from './refuse-unchanged-limit.js';
import { type WorkRules, workAt } from './work-rules.js';

/** The run that is resumed: its journal, and the stages as they are defined now. */
export interface ResumedRun {
  readonly journal: () => Promise<readonly JournalEntry[]>;
  readonly stages: ReturnType<typeof placedStages>;
}

/** Turns the options of a resume into those of the run: changes for an agent or a convergence go to the one that ended. */
export async function readResumeOptions<TOptions extends Omit<PipelineResumeOptions, 'engine'>>(
  options: TOptions,
  before: Ending | undefined,
  { journal, stages }: ResumedRun,
): Promise<Omit<TOptions, keyof ResumeChanges>> {
  checkOptions(options, 'resume', Object.keys(known) as never[]);
  checkChanges(options);
  const { stopWhen, without: _w, guidance: _g, settings: _o, repair: _r, budgets: _b, facts: _f, ...others } = options;
  const { settled: _s, note: _n, ...kept } = others;
  const rest = kept as unknown as Omit<TOptions, keyof ResumeChanges>;
  refuseSteps(options, before);
  const changes = writeChanges(options, options.by);
  const ended = options.at ?? pathOfEnded(before);
  const work = await receiverAt(ended, { journal, stages });
  const hasChanges = Object.keys(changes).length > 0;
  if (hasChanges) await work?.check(changes, stopWhen ?? []);
  if (options.at === undefined) refuseSameEnding(options, before, work ?? ownRulesAt(ended, stages));
  if (!hasChanges) return rest;
  const at = work?.path ?? ended;
  if (at === '' && before !== undefined) throw noReceiver(Object.keys(changes));
  const limitsOfConditions = stopWhen === undefined ? {} : hardLimits(stopWhen);
  if (options.at === undefined && before !== undefined && isOfStageCode(before)) {
    const hasLimits = Object.keys(limitsOfConditions).length > 0;
    const ignored = Object.keys(changes).filter((change) => !isLimit(change, hasLimits));
    await refuseIgnored(ignored, at, journal);
  }
  const limits = { ...limitsOfConditions, ...options.limits };
  return { ...rest, at, changes: { at, ...changes }, ...(Object.keys(limits).length > 0 && { limits }) };
}

/** Refuses changes that no work of the stage takes in. */
async function refuseIgnored(changes: readonly string[], at: string, journal: ResumedRun['journal']): Promise<void> {
  if (changes.length > 0 && ranNothing(await journal(), at)) throw noReceiver(changes);
}

/** The limits of conditions hold for whatever runs there. */
function isLimit(change: string, hasLimits: boolean): boolean {
  return change === 'stopWhen' && hasLimits;
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
  onlyAfter: true,
  onStart: true,
  repair: true,
  settings: true,
  settled: true,
  signal: true,
  stopWhen: true,
  without: true,
};

/** The rules of whatever ended, where it has any. */
type OwnRules = Pick<WorkRules, 'stopWhen' | 'answers' | 'countsSteps'>;

/** The agent at work in the stage at a path, which may be one that its own has handed over to; undefined for other work. */
async function receiverAt(path: string, { journal, stages }: ResumedRun): Promise<ReceiverAtWork | undefined> {
  const placed = stages.find((each) => isWithin(path, each.path));
  if (placed === undefined) return undefined;
  const { rules, isWhole } = workAt(path, { path: placed.path, executor: placed.stage.executor });
  return isWhole ? receiverOf(rules)?.(path, journal) : undefined;
}

/** Refuses a resume after which the run would end where it ended. */
function refuseSameEnding(
  options: Omit<PipelineResumeOptions, 'engine'>,
  before: Ending | undefined,
  own: OwnRules | undefined,
): void {
  refuseUnchangedBudget(options, before);
  refuseUnasked(options, before);
  refuseUnchangedCount(options, before, own);
  refuseUnchangedLimit(options, before, own);
  refuseUnchangedAnswer(options, before, own);
}

/** Refuses a resume after which the agent of a stage would stop at once again, because the number it may count to is still the same. */
function refuseUnchangedCount(
  { stopWhen = [], without = [] }: Pick<PipelineResumeOptions, 'stopWhen' | 'without'>,
  before: Ending | undefined,
  own: OwnRules | undefined,
): void {
  const link = before === undefined ? undefined : causeChain(before).at(-1);
  const reached = link === undefined ? undefined : countReached(link.termination, own);
  if (link === undefined || reached === undefined) return;
  const { condition, used, fixed } = reached;
  if (fixed === undefined && without.includes(condition)) return;
  const counted = [...stopWhen, ...(own?.stopWhen ?? [])]
    .map((each) => each.toJSON())
    .find(({ type }) => type === condition);
  const limit = counted?.['limit'] ?? fixed;
  if (typeof limit !== 'number' || limit > used) return;
  const removal = fixed === undefined ? `, or without: ['${condition}']` : '';
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The stage ${link.child.name} would stop at once: resume it with stopWhen: [${condition}(…)] above ${used}${removal}.`,
    { details: { option: 'stopWhen', used } },
  );
}

/** The rules of the work of the stage that a path is in: one with limits runs in a unit of its own. */
function ownRulesAt(path: string, stages: ResumedRun['stages']): OwnRules | undefined {
  const placed = stages.find((each) => isWithin(path, each.path));
  if (placed === undefined) return undefined;
  const { executor, options } = placed.stage;
  const { rules } = workAt(path, { path: placed.path, executor });
  // A limit of the stage counts steps too, and an ending does not say whose limit it was.
  return options.limits?.steps === undefined ? rules : { ...rules, countsSteps: false };
}

/** Refuses a resume after which the model of a stage would be asked for the same answer under the same rules. */
function refuseUnchangedAnswer(
  { settings, repair, guidance }: Pick<PipelineResumeOptions, 'settings' | 'repair' | 'guidance'>,
  before: Ending | undefined,
  own: OwnRules | undefined,
): void {
  const link = before === undefined ? undefined : causeChain(before).at(-1);
  if (link === undefined || guidance !== undefined) return;
  refuseSameAnswer({ name: `The stage ${link.child.name}` }, link.termination, {
    cap: settings?.maxOutputTokens ?? own?.answers?.cap,
    repair: repair ?? own?.answers?.repair,
  });
}

interface ReachedCount {
  readonly condition: string;
  readonly used: number;
  /** The limit of work that counts its own steps: it has one in any case. */
  readonly fixed?: number;
}

/** The condition that counted to its limit, if one did. */
function countReached(ending: AnyTermination, own: OwnRules | undefined): ReachedCount | undefined {
  if (ending.kind === 'max_tool_calls') return { condition: 'maxToolCalls', used: ending.used };
  if (ending.kind !== 'max_iterations') return undefined;
  const reached = { condition: 'maxIterations', used: ending.used };
  if (ending.unit !== 'step') return reached;
  return own?.countsSteps === true ? { ...reached, fixed: ending.limit } : undefined;
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
function noReceiver(changes: readonly string[]): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `resume: ${changes.join(', ')} is for an agent or a convergence, and the run did not end in one; name its stage with at: 'path'.`,
  );
}

/** The endings of clients of models, whoever called them. */
const ofProvider: ReadonlySet<string> = new Set(modelFailureKinds);

/** True where the code of a stage threw: a plain function, or whatever it runs itself. */
function isOfStageCode(before: Ending): boolean {
  const cause = rootCause(before);
  return cause.kind === 'failed' ? cause.origin === 'stage' : ofProvider.has(cause.kind);
}

/** True when the journal holds nothing that the work of a stage did: it was a function that no change reaches. */
function ranNothing(journal: readonly JournalEntry[], at: string): boolean {
  return !journal.some(({ scope, key }) => (scope === at ? key !== stageKey : isWithin(scope, at)));
}

/** The innermost unit that an ending comes from. */
function pathOfEnded(ending: Ending | undefined): string {
  return ending === undefined ? '' : (causeChain(ending).at(-1)?.child.path ?? '');
}
