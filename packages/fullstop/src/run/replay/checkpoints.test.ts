import { expect, it } from 'vitest';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { checkpointOf } from './checkpoints.js';

const opened = (seq: number, name: string) => ({
  type: 'scope_opened',
  seq,
  scope: '',
  ordinal: seq,
  data: { name, attempt: 1 },
});
const checkpoint = { type: 'checkpointed', seq: 4, scope: '', ordinal: 4, data: {} };
const history = [opened(1, 'a'), opened(2, 'a'), opened(3, 'b~c'), checkpoint] as unknown as readonly JournalEntry[];

it.each(['a', 'a#2', 'a~2', 'a#2~3', 'b~c', 'b~c~2', 'b~c/inside'])(
  'a checkpoint does not hold behind a unit that is taken up again: %s',
  (path) => {
    expect(checkpointOf(history, '', new Set([path]))).toBeUndefined();
  },
);

it.each(['b', 'a#3', 'c'])('a checkpoint holds when nothing before it is taken up again: %s', (path) => {
  expect(checkpointOf(history, '', new Set([path]))?.seq).toBe(4);
});
