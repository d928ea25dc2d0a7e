import type { PayloadCodec } from '../../store/payload.js';
import type { RunCells } from '../../store/run-misfits.js';
import type { Sql } from '../connection/sql.js';
import type { JournalReader } from './journal/journal-reader.js';
import type { JournalWriter } from './journal/journal-writer.js';

/** The parts of a store that operations work with, in one transaction. */
export interface Context {
  readonly sql: Sql;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly codec: PayloadCodec;
  readonly locked: LockedRuns;
  readonly ownerId: string;
  /** Numbers for the rows of new runs. */
  readonly newIds: number[];
}

/** A row of the table of runs, as far as operations need it. */
export interface RunRow extends RunCells {
  readonly id: number;
  readonly state: 'ready' | 'running' | 'parked' | 'ended';
  readonly opened_by: string | null;
  readonly owner: string | null;
  readonly epoch: number;
  readonly wake_at: number | null;
  readonly recoveries: number;
  readonly recovery_seq: number | null;
  readonly lost_owners: string | null;
  readonly closed: number | null;
  readonly damaged_seq: number | null;
  readonly damage: string | null;
}

export const runColumns = `id, run_id, name, version, parent_run, parent_scope, conversation, turn, after_run, after_segment, state, segment, opened_by,
  owner, epoch, wake_at, recoveries, recovery_seq, lost_owners, ending_seq, closed, damaged_seq, damage`;

/** The runs that a transaction has locked. All are locked at once and in one order, so that two transactions never wait for each other. */
export class LockedRuns {
  readonly #byId = new Map<number, RunRow>();
  readonly #byRunId = new Map<string, RunRow | undefined>();

  add(row: RunRow): void {
    this.#byId.set(row.id, row);
    this.#byRunId.set(row.run_id, row);
  }

  /** Remembers that there is no such run. */
  missing(runId: string): void {
    if (!this.#byRunId.has(runId)) this.#byRunId.set(runId, undefined);
  }

  /** Its row has changed in this transaction. */
  forget(id: number): void {
    const row = this.#byId.get(id);
    this.#byId.delete(id);
    if (row !== undefined) this.#byRunId.delete(row.run_id);
  }

  /** The run that was missing is there now. */
  forgetMissing(runId: string): void {
    this.#byRunId.delete(runId);
  }

  clear(): void {
    this.#byId.clear();
    this.#byRunId.clear();
  }

  byId(id: number): RunRow | undefined {
    return this.#byId.get(id);
  }

  knows(runId: string): boolean {
    return this.#byRunId.has(runId);
  }

  byRunId(runId: string): RunRow | undefined {
    return this.#byRunId.get(runId);
  }
}

/** The row of a run, locked until the end of the transaction. */
export async function findRun(context: Context, runId: string): Promise<RunRow | undefined> {
  const { locked, sql } = context;
  if (locked.knows(runId)) return locked.byRunId(runId);
  await context.writer.write();
  const row = await sql.row<RunRow>(`SELECT ${runColumns} FROM @runs WHERE run_id = $1 FOR UPDATE`, [runId]);
  if (row === undefined) locked.missing(runId);
  else locked.add(row);
  return row;
}

export async function readRun({ locked, sql, writer }: Context, id: number): Promise<RunRow | undefined> {
  const known = locked.byId(id);
  if (known !== undefined) return known;
  await writer.write();
  const row = await sql.row<RunRow>(`SELECT ${runColumns} FROM @runs WHERE id = $1 FOR UPDATE`, [id]);
  if (row !== undefined) locked.add(row);
  return row;
}

/** True while nobody else has taken a run since it was claimed, and the server has its journal. Its row is locked, so that this stays so. */
export async function isCurrent(
  context: Context,
  { run, epoch }: { readonly run: number; readonly epoch: number },
): Promise<boolean> {
  const row = await readRun(context, run);
  return row?.epoch === epoch && row.owner === context.ownerId && !context.writer.isLost(run);
}

/** The row of a run for readers, who lock nothing. */
export async function lookUpRun({ sql }: Pick<Context, 'sql'>, runId: string): Promise<RunRow | undefined> {
  return sql.row<RunRow>(`SELECT ${runColumns} FROM @runs WHERE run_id = $1`, [runId]);
}
