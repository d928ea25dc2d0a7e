import type { RunCopy, StoreEngine } from '../engine-options.js';

/** A run that stays where it is, and why. */
export interface LeftRun {
  readonly runId: string;
  readonly reason: string;
}

/** How a move went. */
export interface MoveReport {
  readonly moved: number;
  /** Moved by an earlier attempt. */
  readonly existing: number;
  readonly erasures: number;
  readonly left: readonly LeftRun[];
}

/** How many runs are read before they are stored, all of them with one commit. */
const runsAtOnce = 20;

/**
 * Stores every run of a sealed store in another one, and checks it there. A run that is there already with the same journal counts as
 * moved, so that an attempt that was interrupted can be made again. Runs that were stored last come first: a run never arrives before
 * those that it waits for.
 */
export async function moveStore(
  from: StoreEngine,
  to: StoreEngine,
  progress: (moved: number) => void,
): Promise<MoveReport> {
  const counts = { moved: 0, existing: 0 };
  const left: LeftRun[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await from.runIds(before);
    for (let first = 0; first < page.length; first += runsAtOnce) {
      const some = page.slice(first, first + runsAtOnce).map(({ runId }) => runId);
      for (const outcome of await moveSome(from, to, some)) {
        if (typeof outcome === 'string') counts[outcome] += 1;
        else left.push(outcome);
      }
      progress(counts.moved + counts.existing);
    }
    const last = page.at(-1);
    if (last === undefined) break;
    before = last.place;
  }
  const erasures = await from.erasures();
  await to.adoptErasures(erasures);
  return { ...counts, erasures: erasures.length, left };
}

type Outcome = 'existing' | 'moved' | LeftRun;

/** All are read first and stored with one commit. */
async function moveSome(from: StoreEngine, to: StoreEngine, runIds: readonly string[]): Promise<readonly Outcome[]> {
  const found = await Promise.all(runIds.map((runId) => readRun(from, runId)));
  return Promise.all(found.map((each) => ('reason' in each ? each : storeRun(to, each))));
}

interface FoundRun {
  readonly runId: string;
  readonly copy: RunCopy;
}

async function readRun(from: StoreEngine, runId: string): Promise<FoundRun | LeftRun> {
  const stored = await from.verify(runId);
  if (stored.status === 'broken') return { runId, reason: `it is damaged: ${stored.reason}` };
  const copy = await from.copyRun(runId);
  return copy === undefined ? { runId, reason: 'it is no longer there' } : { runId, copy };
}

async function storeRun(to: StoreEngine, { runId, copy }: FoundRun): Promise<Outcome> {
  const receipt = await to.adoptRun(copy);
  const head = copy.entries.at(-1)?.hash;
  const there = await to.verify(runId, head);
  if (there.status === 'proved' || (head === undefined && there.status === 'consistent'))
    return receipt === 'exists' ? 'existing' : 'moved';
  const why = there.status === 'broken' ? there.reason : there.status;
  const what = receipt === 'exists' ? 'the new store has another run of that id' : 'it could not be verified there';
  return { runId, reason: `${what}: ${why}` };
}
