import type { RunEnd } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import { attempt, type Problem, StepProblem } from '../machine/step-problem.js';
import type { WaitStep } from '../schema/steps/wait.js';
import type { StepContext } from './runtime.js';
import { render } from './scope/render.js';
import { renderingOf } from './scope/scopes.js';
import { failUnit, unitDone } from './units/unit-end.js';

interface Prepared {
  readonly milliseconds?: number;
  readonly reason?: string;
  readonly problem?: Problem;
}

/** Waits, without keeping anything busy. */
export async function waitStep(step: WaitStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context } = given;
  const { milliseconds = 0, problem } = await context.record('duration', () => prepare(step, given));
  if (problem !== undefined) return failUnit(problem);
  const started = context.now();
  await context.sleep('wait', milliseconds);
  const seconds = Math.max(context.now() - started, milliseconds) / 1000;
  return unitDone(step.name, { output: `{"waited_seconds": ${floatText(seconds)}}` });
}

function prepare(step: WaitStep, given: StepContext): Prepared {
  const prepared = attempt(() => {
    const rendering = renderingOf(step, given);
    const text = typeof step.duration === 'number' ? String(step.duration) : render(rendering, step.duration);
    const reason = step.reason === undefined ? undefined : render(rendering, step.reason);
    return { milliseconds: readDuration(text), ...(reason !== undefined && { reason }) };
  });
  return 'problem' in prepared ? { problem: prepared.problem } : prepared.value;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const longestMs = 86_400_000;

/** Milliseconds of a duration; a bare number counts seconds. */
export function readDuration(text: string): number {
  const [, amount, unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(text) ?? [];
  if (amount === undefined) throw new StepProblem('ValidationError', `'${text}' is not a valid duration`);
  const milliseconds = Number(amount) * (units[unit] as number);
  if (milliseconds <= 0) throw new StepProblem('ValidationError', `The duration '${text}' must be > 0`);
  if (milliseconds > longestMs) throw new StepProblem('ValidationError', `The duration '${text}' exceeds the 24h cap`);
  return milliseconds;
}

function floatText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
