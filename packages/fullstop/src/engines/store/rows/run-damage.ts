import type { EndingFacts } from '../../rules/ending-facts.js';
import type { Break } from '../chain.js';
import type { PayloadCodec } from '../payload.js';
import { type EndingCells, endingMisfit } from '../run-misfits.js';

/** The cells of a row of the list that can disagree with the journal. */
export interface DamageCells extends EndingCells {
  readonly damaged_seq: number | null;
  readonly damage: string | null;
  readonly ending_seq: number | null;
  /** The last entry, and the one that the table of endings names for the segment. */
  readonly last_seq: number | null;
  readonly noted_seq: number | null;
}

/** Where the row of a run and its journal disagree, if they do. `ending` is the ending as the journal has it. */
export function findRunDamage(
  row: DamageCells,
  ending: EndingFacts | Break | undefined,
  codec: PayloadCodec,
): Break | undefined {
  const { damaged_seq, damage, ending_seq, last_seq, noted_seq } = row;
  if (damaged_seq !== null) return { seq: damaged_seq, reason: damage ?? 'its journal does not fit its hashes' };
  if (last_seq === null) return { seq: 1, reason: 'entry 1 is missing' };
  if (noted_seq !== null && noted_seq > last_seq) return { seq: noted_seq, reason: `entry ${noted_seq} is missing` };
  if (noted_seq !== ending_seq)
    return { seq: noted_seq ?? last_seq, reason: 'the table of runs and the table of endings differ' };
  if (ending === undefined || 'reason' in ending) return ending;
  if (ending_seq !== last_seq) return { seq: last_seq, reason: 'entries follow the ending' };
  const misfit = endingMisfit(row, ending, (stored) => codec.decode(stored));
  return misfit === undefined
    ? undefined
    : { seq: last_seq, reason: `the table of runs has another ${misfit} than the ending in entry ${last_seq}` };
}
