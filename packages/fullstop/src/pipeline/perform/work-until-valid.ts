import { frozenCopy } from '../../run/frozen.js';
import type { RunContext } from '../../run/run-context.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { makeValidateKey } from '../machine/pipeline-key.js';
import type { PlannedStage } from '../machine/plan.js';
import { outcomeIn } from '../machine/stage-view.js';
import type { ExecutorCall, ExecutorResult } from '../options/stage-work.js';
import { askAboutWork } from './ask-about-work.js';
import { inUnit } from './in-unit.js';
import { textOrNothing } from './text-or-nothing.js';

interface Verdict {
  /** In which segment it was given: a later one has its own attempts. */
  readonly segment: number;
  readonly feedback?: string;
}

/** Does the work of a stage until its validation is content, or its attempts are used up. */
export async function workUntilValid(stage: PlannedStage, call: ExecutorCall<never>): Promise<ExecutorResult> {
  const { context } = call;
  const { attempts: most = 1 } = stage.options;
  let feedback: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const next = { ...call, attempt, ...(feedback !== undefined && { feedback }) };
    const body = (inner: RunContext): Promise<ExecutorResult> => stage.executor.execute({ ...next, context: inner });
    const name = stage.executor.name ?? stage.name;
    const ran = { ...(await inUnit(context, { unit: `attempt-${attempt}`, name, body })), attempts: attempt };
    if (outcomeIn(call.registry, ran.termination) !== 'succeeded') return ran;
    const asked = await askAboutWork(ran, () =>
      context.step(makeValidateKey(attempt), () => ask(stage, ran, { attempt, context })),
    );
    if ('failed' in asked) return asked.failed;
    const { verdict } = asked;
    if (verdict.feedback === undefined) return ran;
    const reason = verdict.feedback;
    feedback = reason;
    // A resume grants a stage that had used up its attempts as many again.
    if (attempt % most === 0 && verdict.segment === context.segment) {
      const termination = terminations.postValidationFailed({ attempts: attempt, reason });
      const { termination: executor, output, executorName, details } = ran;
      const named = { ...(executorName !== undefined && { executorName }), ...(details !== undefined && { details }) };
      return { termination, executor, output, attempts: attempt, ...named };
    }
  }
}

interface ValidationPlace {
  readonly attempt: number;
  readonly context: RunContext;
}

async function ask(
  { name, options }: PlannedStage,
  ran: ExecutorResult,
  { attempt, context }: ValidationPlace,
): Promise<Verdict> {
  const termination = frozenCopy(ran.termination) as AnyTermination;
  const details = ran.details === undefined ? {} : { details: ran.details };
  const run = { name, outcome: 'succeeded', termination, output: ran.output, attempts: attempt, ...details } as const;
  const said = textOrNothing(await options.validate?.(run), 'validate');
  const { segment } = context;
  return said === undefined ? { segment } : { segment, feedback: said };
}
