import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { readRun } from '../../store/read-run.js';
import type { DamagedRun, RunRecord } from '../../why/explain-run.js';
import { ApiError } from '../http/api-error.js';
import type { JournalProjection } from '../view/journal-projection.js';
import { keptProjections } from './kept-projections.js';

/** Reads what is stored of runs, and keeps the journals that are looked at, so that a long one is read and verified once. */
export interface RecordReader {
  read(runId: string): Promise<RunRecord | DamagedRun>;
  /** The same for readers that need a journal that can be trusted. */
  readWhole(runId: string): Promise<RunRecord>;
  /** The units and transitions of a record, kept and grown with its journal. */
  projectionOf(record: RunRecord): JournalProjection;
}

/** How many entries are kept, over all runs. */
const mostEntries = 400_000;

export function recordReader(engine: StoreEngine): RecordReader {
  const kept = new Map<string, RunRecord>();
  const reading = new Map<string, Promise<RunRecord | DamagedRun>>();
  const projections = keptProjections();
  const keep = (record: RunRecord): void => {
    kept.delete(record.summary.runId);
    kept.set(record.summary.runId, record);
    let entries = [...kept.values()].reduce((sum, { journal }) => sum + journal.length, 0);
    for (const [runId, { journal }] of kept) {
      if (entries <= mostEntries || runId === record.summary.runId) break;
      kept.delete(runId);
      entries -= journal.length;
    }
  };
  const readAll = async (runId: string): Promise<RunRecord | DamagedRun> => {
    const whole = await readRun(engine, runId);
    if ('damage' in whole) return whole;
    await projections.prepare(whole.journal);
    keep(whole);
    return whole;
  };
  /** A long journal is read once, however many ask for it meanwhile. */
  const readOnce = (runId: string): Promise<RunRecord | DamagedRun> => {
    const known = reading.get(runId);
    if (known !== undefined) return known;
    const all = readAll(runId).finally(() => reading.delete(runId));
    reading.set(runId, all);
    return all;
  };
  const read = async (runId: string): Promise<RunRecord | DamagedRun> => {
    // What was begun before somebody asked may lack what they have done meanwhile, so they look for that afterwards.
    await reading.get(runId)?.catch(() => undefined);
    const summary = await engine.summary(runId);
    if (summary === undefined) throw noRun(runId);
    if (summary.damage !== undefined) return { summary, damage: summary.damage };
    const before = kept.get(runId);
    const more = before && (await entriesSince(engine, before));
    // An ending is told only of a journal that was verified with it.
    if (before === undefined || more === undefined || before.ending?.segment !== (await endingOf(engine, runId)))
      return readOnce(runId);
    const requests = requestsOnTime(await engine.openRequests(runId));
    const journal = more.length === 0 ? before.journal : [...before.journal, ...more];
    const record = { ...before, summary, journal, requests };
    keep(record);
    projections.handOn(before.journal, journal);
    return record;
  };
  return {
    read,
    projectionOf: ({ journal }) => projections.of(journal),
    readWhole: async (runId) => {
      const record = await read(runId);
      if ('damage' in record)
        throw new ApiError(`What is stored of ${runId} is damaged: ${record.damage.reason}.`, {
          status: 409,
          code: 'STORE_CORRUPT',
        });
      return record;
    },
  };
}

async function endingOf(engine: StoreEngine, runId: string): Promise<number | undefined> {
  return (await engine.ending(runId))?.segment;
}

/** The entries after those that are known; undefined where these are no longer the ones that are stored. */
async function entriesSince(
  engine: StoreEngine,
  { journal, summary: { runId } }: RunRecord,
): Promise<RunRecord['journal'] | undefined> {
  const last = journal.at(-1);
  const [same, ...more] = await engine.journal(runId, { after: (last?.seq ?? 1) - 1 });
  return same !== undefined && same.hash === last?.hash ? more : undefined;
}

export function noRun(runId: string): ApiError {
  return new ApiError(`There is no run ${JSON.stringify(runId.slice(0, 200))} in this store.`, {
    status: 404,
    code: 'RUN_NOT_FOUND',
  });
}
