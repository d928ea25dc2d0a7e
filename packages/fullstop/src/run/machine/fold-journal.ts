import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { foldMachine } from './fold-machine.js';
import { JournalTasks } from './journal-tasks.js';
import type { Machine } from './machine.js';

/** The state of a run's machine after what its journal holds, without performing anything: the one that `drive` reaches. */
export function foldJournal<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  input: TInput,
  journal: readonly JournalEntry[],
): TState {
  const tasks = new JournalTasks(journal);
  const fold = foldMachine({ machine, input, place: tasks });
  for (;;) {
    const decision = fold.decide();
    const ready = decision.type === 'end' ? undefined : tasks.lookUp(decision);
    if (ready === undefined) return fold.state();
    fold.apply(ready);
  }
}
