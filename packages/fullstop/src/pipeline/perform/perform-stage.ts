import { isInstance, StepFailed } from '../../run/errors.js';
import type { RunContext, RunEnd } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { tagOf } from '../../termination/tag-of.js';
import { terminations } from '../../termination/terminations.js';
import { stageKey } from '../machine/pipeline-key.js';
import type { PlannedStage, StageRules } from '../machine/plan.js';
import type { StageReport } from '../machine/report.js';
import { isFine, outcomeIn, type StageRun } from '../machine/stage-view.js';
import type { ExecutorResult } from '../options/stage-work.js';
import { decideOutcome, type StageDecision, stageRun } from './decide-outcome.js';
import { failureOf } from './function-executor.js';
import { inUnit } from './in-unit.js';
import { textOrNothing } from './text-or-nothing.js';
import { workUntilValid } from './work-until-valid.js';

/**
 * The body of a stage's unit: `skip` and `before`, the work, `treatAsSuccess` and `onCompleted`, `after`. Each is a step or
 * a record of its own, so that a resume repeats only what failed.
 */
export async function performStage(
  stage: PlannedStage,
  done: object,
  context: RunContext,
  rules: StageRules,
): Promise<RunEnd<Ending>> {
  // A step, not a record: its commit makes the ending of the stage before durable.
  const { skip } = (await context.step(stageKey, () => begin(stage, done))) as { readonly skip?: string };
  if (skip !== undefined)
    return {
      termination: terminations.skipped({ reason: skip }),
      output: { outcome: 'skipped' } satisfies StageReport,
    };
  const ran = await work(stage, done, context, rules);
  const outcome = outcomeIn(rules.registry, ran.termination);
  const { treatAsSuccess, onCompleted, after } = stage.options;
  // Most stages have none of these, and every wait costs a turn.
  const isJudged = treatAsSuccess !== undefined || onCompleted !== undefined;
  const decided = isJudged
    ? await decideOutcome(stage, { ran, outcome, registry: rules.registry }, context)
    : { outcome, termination: ran.termination, also: ran.also ?? [] };
  const ended = after === undefined ? decided : await callAfter(stage, { ran, decided }, context);
  const { termination, also } = ended;
  return {
    termination,
    ...(also.length > 0 && { also }),
    output: toReport({ ran, decided: ended, rules, path: context.scope }),
  };
}

/** The first entry of a stage: its name, and why it is skipped if it is. */
function begin(stage: PlannedStage, done: object): JsonObject | Promise<JsonObject> {
  const { name, phase, options } = stage;
  if (options.skip !== undefined || options.before !== undefined) return beginAsked(stage, done);
  return phase === undefined ? { stage: name } : { stage: name, phase };
}

async function beginAsked({ name, phase, options }: PlannedStage, done: object): Promise<JsonObject> {
  const skip = options.skip === undefined ? undefined : textOrNothing(await options.skip(done as never), 'skip');
  if (skip === undefined) await options.before?.(done as never);
  return { stage: name, ...(phase !== undefined && { phase }), ...(skip !== undefined && { skip }) };
}

/** The work itself; in a unit of its own if anything is decided after it, since a resume continues whole units. */
function work(
  stage: PlannedStage,
  done: object,
  context: RunContext,
  { registry }: StageRules,
): Promise<ExecutorResult> {
  const { executor, name } = stage;
  const { limits, validate, onCompleted, after } = stage.options;
  const keepsDetails = [validate, onCompleted, after].some((callback) => callback !== undefined);
  const call = { stage: name, done: done as never, registry, context, attempt: 1, keepsDetails };
  if (stage.isPlain) return executor.execute(call);
  const body = (inner: RunContext): Promise<ExecutorResult> => {
    const inside = { ...call, context: inner };
    return validate === undefined ? executor.execute(inside) : workUntilValid(stage, inside);
  };
  return inUnit(context, { unit: 'run', name: executor.name ?? name, limits, body });
}

interface DecidedWork {
  readonly ran: ExecutorResult;
  readonly decided: StageDecision;
}

async function callAfter(
  stage: PlannedStage,
  { ran, decided }: DecidedWork,
  context: RunContext,
): Promise<StageDecision> {
  const { after } = stage.options;
  if (after === undefined) return decided;
  const run = stageRun(stage, { ...ran, termination: decided.termination }, decided.outcome);
  try {
    await context.step('after', () => after(run as StageRun<never>));
    return decided;
  } catch (error) {
    if (!isInstance(error, StepFailed)) throw error;
    return { outcome: 'failed', termination: failureOf(error), also: [decided.termination, ...decided.also] };
  }
}

interface ReportParts extends DecidedWork {
  readonly path: string;
  readonly rules: StageRules;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

// Filled in one by one: a long pipeline makes very many of these, and spreads are several times slower.
function toReport({ ran, decided, rules, path }: ReportParts): StageReport {
  const { outcome, termination } = decided;
  const { output, attempts, links = [], advisory, executor = ran.termination, executorName } = ran;
  const report: Writable<StageReport> = { outcome };
  if (output !== undefined) report.output = output as NonNullable<StageReport['output']>;
  if (attempts !== undefined && attempts > 1) report.attempts = attempts;
  if (executor !== termination) report.executor = executor as AnyTermination;
  if (executorName !== undefined) report.executorName = executorName;
  const tag = tagOf(termination, rules);
  if (tag !== termination.kind) report.tag = tag;
  if (isFine(outcome)) return report;
  report.path = path;
  if (advisory === true) report.advisory = true;
  // A resume continues the units that the failure comes from, and no work that went well.
  if (links.length > 0 && !isFine(outcomeIn(rules.registry, ran.termination))) report.links = links;
  if (ran.termination !== termination) report.cause = ran.termination as AnyTermination;
  return report;
}
