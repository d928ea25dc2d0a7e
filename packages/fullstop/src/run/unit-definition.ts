import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Ending } from '../termination/ending.js';
import type { RunLimits } from './limits.js';
import type { RunContext, RunEnd } from './run-context.js';
import type { Secrets } from './secrets/secrets.js';

/** The part that agents, pipelines, convergences and workflows have in common: each can run as a unit inside another run. */
export interface UnitDefinition {
  readonly name: string;
  /** Every kind that it can end with. */
  readonly kinds: readonly string[];
  /** The definitions of kinds of its own: whatever it runs in has to know them. */
  readonly terminations?: readonly AnyTerminationDefinition[];
  /** Limits for the unit that it runs in. */
  readonly limits?: RunLimits;
  /** The secrets that it seals: its parent has to seal them too, because they share one journal. */
  readonly secrets?: Secrets;
  /** Runs it inside the unit of this context; the output is its own. */
  within(context: RunContext, input: never): Promise<RunEnd<Ending>>;
}
