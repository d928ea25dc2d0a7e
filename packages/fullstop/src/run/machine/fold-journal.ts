import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { resumedKey } from '../accounts/active-timeline.js';
import { foldMachine } from './fold-machine.js';
import { JournalTasks } from './journal-tasks.js';
import type { Machine } from './machine.js';

/** The state of a run's machine after what its journal holds, without performing anything: the one that `drive` reaches. */
export function foldJournal<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  input: TInput,
  journal: readonly JournalEntry[],
): TState {
  return openFold(machine, input, journal).state();
}

/** The fold of a journal that grows: every entry is folded in once. */
export interface JournalFold<TState> {
  state(): TState;
  /**
   * Folds in the entries that follow. False when they change what was folded before, as those of a resume do: then the whole
   * journal is folded anew, and this fold is of no use any more.
   */
  add(entries: readonly JournalEntry[]): boolean;
}

/** Folds a journal as far as it goes, and continues when there is more. */
export function openFold<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  input: TInput,
  journal: readonly JournalEntry[],
): JournalFold<TState> {
  const tasks = new JournalTasks(journal);
  const fold = foldMachine({ machine, input, place: tasks });
  const advance = (): void => {
    for (;;) {
      const decision = fold.decide();
      const ready = decision.type === 'end' ? undefined : tasks.lookUp(decision);
      if (ready === undefined) return;
      fold.apply(ready);
    }
  };
  advance();
  return {
    state: () => fold.state(),
    add(entries) {
      if (entries.some(changesPast) || !tasks.add(entries)) return false;
      advance();
      return true;
    },
  };
}

/** True for an entry about those before it: which units were cut off, what a resume changed, which time was active. */
function changesPast({ type, key }: JournalEntry): boolean {
  return type === 'segment_ended' || type === 'segment_opened' || (type === 'observed' && key === resumedKey);
}
