import type { StoreEngine } from 'fullstop/engines/sqlite';
import type { Hello, RunsChanged } from '../api/live-events.js';
import type { LiveEvent } from './event-stream.js';

/** How many looks pass between two at the owners of runs, who may die without an entry. */
const looksPerOwnerCheck = 10;
const mostRunning = 500;

/** Looks for changed runs. The place of a reader is a position in the order of all entries, so that one who connects again misses nothing. */
export function followRuns(
  engine: StoreEngine,
  { version, after }: { readonly version: string; readonly after: number | undefined },
): () => Promise<readonly LiveEvent[]> {
  let place = after;
  let looks = 0;
  let lost: ReadonlySet<string> | undefined;
  return async () => {
    const hello: Hello = { version, at: Date.now() };
    const isFirst = looks === 0;
    looks += 1;
    const { at, runIds, complete } = await engine.changes(place);
    const isMoved = place !== undefined && at !== place;
    place = at;
    const orphans = looks % looksPerOwnerCheck === 1 ? await orphanedRuns(engine) : lost;
    const changed = [...new Set([...runIds, ...difference(lost ?? orphans, orphans)])];
    lost = orphans;
    const news: RunsChanged = { runIds: changed, complete };
    return [
      ...(isFirst ? [{ event: 'hello', id: at, data: hello }] : []),
      ...(changed.length > 0 || (isMoved && !complete) ? [{ event: 'runs', id: at, data: news }] : []),
    ];
  };
}

async function orphanedRuns(engine: StoreEngine): Promise<ReadonlySet<string>> {
  const { runs } = await engine.list({ state: 'running', limit: mostRunning });
  return new Set(
    runs
      .filter(({ orphaned, silentSince }) => orphaned === true || silentSince !== undefined)
      .map(({ runId }) => runId),
  );
}

function difference(before: ReadonlySet<string> = new Set(), now: ReadonlySet<string> = new Set()): readonly string[] {
  return [...[...before].filter((id) => !now.has(id)), ...[...now].filter((id) => !before.has(id))];
}
