import type { StoreEngine } from 'fullstop/engines/sqlite';
import { requestsOnTime } from '../../answer/requests-on-time.js';
import { readRun } from '../../store/read-run.js';
import type { DamagedRun, RunRecord } from '../../why/explain-run.js';
import { ApiError } from '../http/api-error.js';
import { JournalProjection } from '../view/journal-projection.js';
import { KeptRecords } from './kept-records.js';

/** Reads what is stored of runs, and keeps the journals that are looked at, so that a long one is read and verified once. */
export interface RecordReader {
  read(runId: string): Promise<RunRecord | DamagedRun>;
  /** The same for readers that need a journal that can be trusted. */
  readWhole(runId: string): Promise<RunRecord>;
  /** The units and transitions of a record, kept and grown with its journal. */
  projectionOf(record: RunRecord): JournalProjection;
}

export function recordReader(engine: StoreEngine): RecordReader {
  const kept = new KeptRecords();
  const reading = new Map<string, Promise<RunRecord | DamagedRun>>();
  const projections = new WeakMap<RunRecord['journal'], JournalProjection>();
  const readAll = async (runId: string): Promise<RunRecord | DamagedRun> => {
    let projection = new JournalProjection([]);
    const whole = await readRun(engine, runId, () => {
      projection = new JournalProjection([]);
      return (journal) => projection.takeIn(journal);
    });
    if ('damage' in whole) return whole;
    projections.set(whole.journal, projection);
    kept.keep(whole);
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
    kept.keep(record);
    handOn(before.journal, journal);
    return record;
  };
  /** A projection grows with the latest journal only: whoever still has an earlier one makes another. */
  const handOn = (before: RunRecord['journal'], journal: RunRecord['journal']): void => {
    const projection = projections.get(before);
    if (projection === undefined || before === journal) return;
    projections.delete(before);
    projections.set(journal, projection);
  };
  return {
    read,
    projectionOf: ({ journal }) => {
      const projection = projections.get(journal) ?? new JournalProjection(journal);
      projections.set(journal, projection);
      projection.grow(journal);
      return projection;
    },
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
