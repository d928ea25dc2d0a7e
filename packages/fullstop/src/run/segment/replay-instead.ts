import type { Execution } from './execution.js';

/** Under `alwaysReplay`, drops the body instead of handing it a result, as soon as nothing else is under way. */
export async function replayInstead(execution: Execution, ownOperations: 0 | 1): Promise<boolean> {
  const { settings, state, journal, root } = execution;
  const isBusy = (): boolean => root.operations > ownOperations || state.cancelRequest !== undefined;
  if (!settings.alwaysReplay || isBusy()) return false;
  if (!(await journal.commit())) return true;
  if (isBusy()) return false;
  state.settle({ type: 'replay' });
  return true;
}
