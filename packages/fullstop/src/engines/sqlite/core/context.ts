import type { Connection } from './connection.js';
import type { Epochs } from './epochs.js';
import type { JournalReader } from './journal-reader.js';
import type { JournalWriter } from './journal-writer.js';
import type { PayloadCodec } from './payload.js';

/** The parts of a store that operations work with. */
export interface Context {
  readonly connection: Connection;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly codec: PayloadCodec;
  readonly epochs: Epochs;
}

/** A row of the table of runs, as far as operations need it. */
export interface RunRow {
  readonly id: number;
  readonly run_id: string;
  readonly name: string;
  readonly version: string;
  readonly parent_run: string | null;
  readonly parent_scope: string | null;
  readonly state: 'ready' | 'running' | 'parked' | 'ended';
  readonly segment: number;
  readonly opened_by: string | null;
  readonly owner: string | null;
  readonly epoch: number;
  readonly wake_at: number | null;
  readonly recoveries: number;
  readonly recovery_seq: number | null;
  readonly ending_seq: number | null;
  readonly closed: number | null;
}

export const runColumns =
  'id, run_id, name, version, parent_run, parent_scope, state, segment, opened_by, owner, epoch, wake_at, recoveries, recovery_seq, ending_seq, closed';

export function findRun({ connection }: Context, runId: string): RunRow | undefined {
  return connection.sql<RunRow>(`SELECT ${runColumns} FROM runs WHERE run_id = ?`).get(runId);
}

export function readRun({ connection }: Context, id: number): RunRow | undefined {
  return connection.sql<RunRow>(`SELECT ${runColumns} FROM runs WHERE id = ?`).get(id);
}
