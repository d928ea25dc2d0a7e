import type { PayloadCodec } from '../../store/payload.js';
import type { Connection } from './connection.js';
import type { Epochs } from './epochs.js';
import type { JournalReader } from './journal/journal-reader.js';
import type { JournalWriter } from './journal/journal-writer.js';
import type { OwnerSightings } from './owner-sightings.js';
import { type Columns, integer, optional, text, word } from './rows/columns.js';
import { damagedRow } from './rows/damaged-row.js';
import { type IdentityRow, identityColumns } from './rows/identity-row.js';

/** The parts of a store that operations work with. */
export interface Context {
  readonly connection: Connection;
  readonly writer: JournalWriter;
  readonly reader: JournalReader;
  readonly codec: PayloadCodec;
  readonly epochs: Epochs;
  readonly sightings: OwnerSightings;
}

/** A row of the table of runs, as far as operations need it. */
export interface RunRow extends IdentityRow {
  readonly state: 'ready' | 'running' | 'parked' | 'ended';
  readonly segment: number;
  readonly opened_by: string | null;
  readonly owner: string | null;
  readonly epoch: number;
  readonly wake_at: number | null;
  readonly recoveries: number;
  readonly recovery_seq: number | null;
  readonly lost_owners: string | null;
  readonly ending_seq: number | null;
  readonly closed: number | null;
  readonly damaged_seq: number | null;
}

export const runStates = ['ready', 'running', 'parked', 'ended'] as const;

export const runColumns: Columns<RunRow> = {
  ...identityColumns,
  state: word('state', runStates),
  segment: integer('segment'),
  opened_by: optional(text('opened_by')),
  owner: optional(text('owner')),
  epoch: integer('epoch'),
  wake_at: optional(integer('wake_at')),
  recoveries: integer('recoveries'),
  recovery_seq: optional(integer('recovery_seq')),
  lost_owners: optional(text('lost_owners')),
  ending_seq: optional(integer('ending_seq')),
  closed: optional(integer('closed')),
  damaged_seq: optional(integer('damaged_seq')),
};

export function findRun({ connection }: Context, runId: string): RunRow | undefined {
  const run = connection.select(runColumns, 'FROM runs WHERE run_id = ?').get(runId);
  // An index that is damaged leads to another row.
  if (run !== undefined && run.run_id !== runId) throw damagedRow(`the run ${runId} is stored under another id`);
  return run;
}

export function readRun({ connection }: Context, id: number): RunRow | undefined {
  return connection.select(runColumns, 'FROM runs WHERE id = ?').get(id);
}
