import type { Engine, RunSummary } from 'fullstop/engine';
import { suggestion } from '../command-line/suggestion.js';
import { UsageError } from '../command-line/usage-error.js';

const mostLookedAt = 1000;

/** Finds the run that a person means: its id, the beginning of it, or `last` for the newest. */
export async function findRun(engine: Engine, named: string | undefined): Promise<RunSummary> {
  if (named === undefined || named === 'last') {
    const { runs } = await engine.list({ limit: 1, roots: true });
    if (runs[0] === undefined) throw new UsageError('There are no runs yet.');
    return runs[0];
  }
  const exact = await engine.summary(named);
  if (exact !== undefined) return exact;
  return byBeginning(engine, named);
}

async function byBeginning(engine: Engine, named: string): Promise<RunSummary> {
  const { runs } = await engine.list({ idPrefix: named, limit: 6 });
  const [first, second] = runs;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined) {
    const ids = runs.slice(0, 5).map(({ runId }) => runId);
    const more = runs.length > ids.length ? ', …' : '';
    throw new UsageError(
      `${JSON.stringify(named)} is the beginning of several runs: ${ids.join(', ')}${more}. Write more of it.`,
    );
  }
  const recent = await engine.list({ limit: mostLookedAt });
  const hint = suggestion(
    named,
    recent.runs.map(({ runId }) => runId),
  );
  throw new UsageError(`There is no run ${JSON.stringify(named)} in this store${hint}. fullstop runs lists them.`);
}
