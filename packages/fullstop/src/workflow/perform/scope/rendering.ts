import type { Scope } from '../../../template/scope.js';
import type { Runtime } from '../runtime.js';

/** Where a template is rendered. */
export interface Rendering {
  readonly runtime: Runtime;
  readonly scope: Scope;
  /** Differs from step to step, so that two steps do not draw the same numbers. */
  readonly turn: number;
  /** The step or group at hand. */
  readonly at: string;
}
