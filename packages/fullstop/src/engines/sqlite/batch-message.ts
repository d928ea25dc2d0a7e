import type { EntryRow, InputOf, Operation } from '../store/operations.js';
import type { SqlValue } from './driver/driver.js';

/**
 * A batch on its way to the thread. Plain entries, of which there are most, go as one list of cells: handing over an
 * object for each takes several times as long.
 */
export interface BatchMessage {
  /** The operations in their order; `packed` stands for the next one among the cells. */
  readonly operations: readonly (Operation | typeof packed)[];
  readonly cells: readonly SqlValue[];
}

const packed = 0;

export function packBatch(batch: readonly Operation[]): BatchMessage {
  const cells: SqlValue[] = [];
  const operations = batch.map((operation) => {
    if (operation.name !== 'append' || operation.input.rows.some(({ effect }) => effect !== undefined))
      return operation;
    pack(cells, operation.input);
    return packed;
  });
  return { operations, cells };
}

function pack(cells: SqlValue[], { claim, rows, chained }: InputOf<'append'>): void {
  cells.push(claim.run, claim.runId, claim.segment, claim.epoch, chained?.after ?? null, rows.length);
  for (const [index, { scope, ordinal, at, type, key, data }] of rows.entries())
    cells.push(scope, ordinal, at, type, key, data, chained?.hashes[index] ?? null);
}

export function unpackBatch({ operations, cells }: BatchMessage): readonly Operation[] {
  const reader = new CellReader(cells);
  return operations.map((operation) => (operation === packed ? unpack(reader) : operation));
}

function unpack(reader: CellReader): Operation {
  const claim = { run: reader.number(), runId: reader.text(), segment: reader.number(), epoch: reader.number() };
  const after = reader.textOrNull();
  const count = reader.number();
  const rows: EntryRow[] = [];
  const hashes: string[] = [];
  for (let index = 0; index < count; index += 1) {
    rows.push({
      scope: reader.text(),
      ordinal: reader.number(),
      at: reader.number(),
      type: reader.text(),
      key: reader.textOrNull(),
      data: reader.text(),
    });
    const hash = reader.textOrNull();
    if (hash !== null) hashes.push(hash);
  }
  return { name: 'append', input: { claim, rows, chained: after === null ? undefined : { after, hashes } } };
}

class CellReader {
  readonly #cells: readonly SqlValue[];
  #at = 0;

  constructor(cells: readonly SqlValue[]) {
    this.#cells = cells;
  }

  number(): number {
    return this.#next() as number;
  }

  text(): string {
    return this.#next() as string;
  }

  textOrNull(): string | null {
    return this.#next() as string | null;
  }

  #next(): SqlValue {
    const cell = this.#cells[this.#at];
    this.#at += 1;
    return cell as SqlValue;
  }
}
