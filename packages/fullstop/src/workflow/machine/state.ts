import type { Log } from '../../run/log.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonObject } from '../../termination/json.js';
import type { Violation } from '../../termination/kinds/validation.js';
import type { ListedItem } from '../graph/group-type.js';
import type { Outputs } from './outputs.js';
import type { Problem } from './step-problem.js';
import type { Tally } from './tally.js';

/**
 * Where the workflow is: `starting` before the first step, `trimming` the context, `listing` the items of a group,
 * performing the step or group at hand (`stepping`), `routing` after it, or `recovering` from its failure.
 */
export type Phase = 'starting' | 'trimming' | 'listing' | 'stepping' | 'routing' | 'recovering';

/** Everything a workflow knows. Step outputs are JSON text; lists that grow are shared between states. */
export interface WorkflowState {
  readonly phase: Phase;
  /** The path of the unit that this workflow is, empty for the run itself. */
  readonly scope: string;
  /** The step or group at hand. */
  readonly at: string;
  /** JSON text of the inputs, with defaults. */
  readonly inputs: string;
  readonly outputs: Outputs;
  /** How often each step or group was entered, failed attempts included. */
  readonly entered: Tally;
  /** The iterations that count against the limit: one per step, and one per member or item of a group. */
  readonly iterations: number;
  readonly maxIterations: number;
  readonly budgetUsd: number | null;
  readonly skipGates: boolean;
  /** JSON text of the output of the step at hand, while its routes are looked at. */
  readonly current: string | null;
  /** Where a person's choice leads, which no route is asked about. */
  readonly choice: string | null;
  readonly group: GroupProgress | null;
  /** How the step at hand failed, while its error routes are looked at. */
  readonly failure: Failure | null;
  /** The latest failure that an error route led away from; steps see it as `error` and `ending`. */
  readonly caught: CaughtFailure | null;
  readonly spent: Spent;
  /** Whether a model was asked already. */
  readonly modelAsked: boolean;
  readonly resumed: number;
  readonly resumedAt: number;
  readonly ending: Ending | null;
  /** JSON text of the final output. */
  readonly output: string | null;
  /** The hook to notify of the ending. */
  readonly hook: 'on_complete' | 'on_error' | null;
  /** Sub-workflows that their own time limit stopped before they could notify anyone, with how they ended. */
  readonly stopped: readonly StoppedChild[];
  readonly observations: Log<JsonObject>;
}

/** A sub-workflow that did not reach its ending by itself. */
export interface StoppedChild {
  /** The path of its unit. */
  readonly path: string;
  readonly step: string;
  readonly termination: Ending;
}

/** The state while it is worked on: folding copies a state once and changes the copy. */
export type Draft = { -readonly [K in keyof WorkflowState]: WorkflowState[K] };

export interface Spent {
  /** The cost that is known. */
  readonly costUsd: number;
  readonly tokens: number;
  /** True when some price is not known, so that the budget cannot be kept exactly. */
  readonly unpriced: boolean;
  /** True when some of the usage was guessed. */
  readonly estimated?: boolean;
  /** How many whole budgets were reported as exceeded. */
  readonly budgetsReported: number;
}

/** A group at work. */
export interface GroupProgress {
  /** JSON texts of the items and their keys; empty for a parallel group. */
  readonly items: readonly ListedItem[];
  readonly size: number;
  /** The members to perform now, by index. */
  readonly todo: readonly number[];
  /** How many results there were before they were performed. */
  readonly before: number;
  readonly results: Log<MemberResult>;
}

/** The result of a member: its output, or how it failed. */
export type MemberResult =
  | { readonly index: number; readonly output: string; readonly at: number }
  | { readonly index: number; readonly failure: Failure; readonly at: number };

/** How a step, member or group failed. */
export interface Failure {
  /** The ending that follows from it, unless it is routed. */
  readonly termination: Ending;
  /** The class and the message of the error, as they are reported. */
  readonly error: ErrorData;
  /** Present for a unit, which has an ending of its own. */
  readonly unit?: { readonly name: string; readonly path: string; readonly termination: Ending };
}

/** A failure and the step or group that it belongs to. */
export interface CaughtFailure {
  readonly step: string;
  readonly failure: Failure;
}

/** The choice among the routes after a step. */
export interface Verdict {
  /** Where to go; absent when no route applies or something failed. */
  readonly to?: string;
  /** Which route it was, counted from 0; absent when the step has none. */
  readonly route?: number;
  readonly when?: string;
  /** The values that the condition read, for `why`. */
  readonly values?: JsonObject;
  /** JSON text of the final output, when the way ends here. */
  readonly output?: string;
  readonly problem?: Problem;
  /** The part that failed: finding the route, or rendering the output after it. */
  readonly stage?: 'route' | 'output';
}

/** The value of a set step's record. */
export interface SetOutcome {
  readonly output?: string;
  readonly problem?: Problem;
  /** Present outside groups. */
  readonly verdict?: Verdict;
}

/** The value of a terminate step's record. */
export interface TerminateOutcome {
  readonly status?: 'success' | 'failed';
  readonly reason?: string;
  /** JSON text of the final output. */
  readonly output?: string;
  /** The values that the output has no room for, since JSON has no word for them. */
  readonly dropped?: readonly Violation[];
  readonly problem?: Problem;
  /** The part that failed. */
  readonly stage?: 'reason' | 'status' | 'output';
}

/** The value of the first record. */
export interface StartOutcome {
  readonly inputs?: string;
  readonly hook?: HookOutcome;
  readonly problem?: Problem;
}

/** The outcome of a hook. */
export interface HookOutcome {
  readonly name: string;
  readonly text?: string;
  readonly problem?: Problem;
}

/** The changes by trimming: JSON text that replaces an output, or null for one that was dropped. */
export interface TrimOutcome {
  readonly changed?: Readonly<Record<string, string | null>>;
}

/** The items of a for_each group. */
export interface ItemsOutcome {
  readonly items?: readonly ListedItem[];
  readonly problem?: Problem;
}

/** The outcome of a unit besides its ending. */
export interface UnitOutcome {
  /** JSON text of the step output. */
  readonly output: string;
  readonly costUsd?: number | null;
  readonly tokens?: number;
  /** True when some of the usage was guessed. */
  readonly estimated?: boolean;
  /** True when it asked a model whose price is not known: the cost is that of the others. */
  readonly unpriced?: boolean;
  /** Where a person's choice leads. */
  readonly to?: string;
}
