import type { Operation, Outcome, OutputOf, StoredEntry } from '../store/operations.js';
import type { SqlValue } from './driver/driver.js';

/** The answer to a batch on its way from the thread. Entries of long journals go as one list of cells, as those of a batch do. */
export interface AnswerMessage {
  readonly outcomes: readonly Outcome[];
  /** The outcomes whose entries are among the cells, by their place. */
  readonly packed: readonly number[];
  readonly cells: readonly SqlValue[];
}

type Part = OutputOf<'verified'>;

const cellsOfEntry = 9;

export function packAnswer(batch: readonly Operation[], outcomes: readonly Outcome[]): AnswerMessage {
  const cells: SqlValue[] = [];
  const packed: number[] = [];
  const sent = outcomes.map((outcome, index) => {
    if (batch[index]?.name !== 'verified' || !outcome.ok) return outcome;
    const { entries, ...rest } = outcome.value as Part;
    packed.push(index);
    cells.push(entries.length);
    for (const entry of entries) pack(cells, entry);
    return { ok: true, value: rest } as const;
  });
  return { outcomes: sent, packed, cells };
}

function pack(cells: SqlValue[], { segment, seq, scope, ordinal, at, type, key, data, hash }: StoredEntry): void {
  cells.push(segment, seq, scope, ordinal, at, type, key, data, hash);
}

export function unpackAnswer({ outcomes, packed, cells }: AnswerMessage): readonly Outcome[] {
  if (packed.length === 0) return outcomes;
  const whole = [...outcomes];
  let at = 0;
  for (const index of packed) {
    const { value } = outcomes[index] as { readonly value: object };
    const end = at + 1 + (cells[at] as number) * cellsOfEntry;
    whole[index] = { ok: true, value: { ...value, entries: unpack(cells, at + 1, end) } };
    at = end;
  }
  return whole;
}

function unpack(cells: readonly SqlValue[], begin: number, end: number): readonly StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (let at = begin; at < end; at += cellsOfEntry)
    entries.push({
      segment: cells[at] as number,
      seq: cells[at + 1] as number,
      scope: cells[at + 2] as string,
      ordinal: cells[at + 3] as number,
      at: cells[at + 4] as number,
      type: cells[at + 5] as string,
      key: cells[at + 6] as string | null,
      data: cells[at + 7] as string,
      hash: cells[at + 8] as string,
    });
  return entries;
}
