import { Dict } from '../../../template/dict.js';
import { historyOf } from '../../machine/outputs.js';
import type { WorkflowState } from '../../machine/state.js';

/** How far the workflow has come, as templates see it. */
export function contextValue({ outputs }: WorkflowState): Dict {
  return new Dict().setText('iteration', outputs.stores).setText('history', [...historyOf(outputs)]);
}
