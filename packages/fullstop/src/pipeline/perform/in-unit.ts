import { makeScope } from '../../run/journal/scope-path.js';
import type { Limits } from '../../run/limits.js';
import type { End, RunContext } from '../../run/run-context.js';
import type { Ending } from '../../termination/ending.js';
import type { Ran } from '../options/stage-work.js';

interface Inside {
  /** Unique within the unit around it. */
  readonly unit: string;
  /** What runs in it, for people. */
  readonly name: string;
  readonly limits?: Limits | undefined;
  body(context: RunContext): Promise<Ran>;
}

/** What the journal holds as the output of a unit inside a stage. */
interface InsideOutput extends Omit<Ran, 'termination' | 'also'> {
  /** Where it ran, if that is not where its name says: a unit that ended for good begins anew elsewhere. */
  readonly path?: string;
}

/** Runs work in a unit of its own inside a stage: it has its own ending, its own limits and its own place on resume. */
export async function inUnit(context: RunContext, { unit, name, limits, body }: Inside): Promise<Ran> {
  const options = limits === undefined ? {} : { limits };
  const usual = makeScope(context.scope, unit);
  const run = async (inner: RunContext): Promise<End<Ending>> => toEnd(await body(inner), inner.scope, usual);
  const { termination, also, output } = await context.child(unit, run, options);
  const { path = usual, ...inside } = (output ?? {}) as unknown as InsideOutput;
  return { ...inside, termination, also, links: [{ name, path }, ...(inside.links ?? [])] };
}

function toEnd({ termination, also, ...inside }: Ran, path: string, usual: string): End<Ending> {
  return {
    termination,
    ...(also !== undefined && { also }),
    output: path === usual ? inside : { ...inside, path },
  };
}
