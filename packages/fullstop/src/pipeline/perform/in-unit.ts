import { makeScope } from '../../run/journal/scope-path.js';
import type { RunLimits } from '../../run/limits.js';
import type { RunContext, RunEnd } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { ExecutorResult } from '../options/stage-work.js';

interface WorkUnit {
  /** Unique within its parent. */
  readonly unit: string;
  /** The name of the work, for people. */
  readonly name: string;
  readonly limits?: RunLimits | undefined;
  body(context: RunContext): Promise<ExecutorResult>;
}

/** The output of a unit inside a stage, as the journal holds it. */
interface WorkUnitOutput extends Omit<ExecutorResult, 'termination' | 'also'> {
  /** Where it ran, if its name does not say: a unit that ended for good starts again elsewhere. */
  readonly path?: string;
}

/** Runs work in a unit of its own inside a stage: it has its own ending, its own limits and its own place on resume. */
export async function inUnit(context: RunContext, { unit, name, limits, body }: WorkUnit): Promise<ExecutorResult> {
  const options = limits === undefined ? {} : { limits };
  const usual = makeScope(context.scope, unit);
  const run = async (inner: RunContext): Promise<RunEnd<Ending>> => toEnd(await body(inner), inner.scope, usual);
  const { termination, also, output } = await context.child(unit, run, options);
  const { path = usual, ...inside } = (output ?? {}) as unknown as WorkUnitOutput;
  return { ...inside, termination, also, links: [{ name, path }, ...(inside.links ?? [])] };
}

function toEnd({ termination, also, ...inside }: ExecutorResult, path: string, usual: string): RunEnd<Ending> {
  return {
    termination,
    ...(also !== undefined && { also }),
    output: path === usual ? inside : { ...inside, path },
  };
}
