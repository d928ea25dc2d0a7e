import type { Clock } from '../engines/port/clock.js';
import type { AbortSignalLike, Engine } from '../engines/port/engine.js';
import type { EntryDraft } from '../engines/port/journal-entry.js';
import type { RequestAnswer } from '../engines/port/request.js';
import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { Category, Ending } from '../termination/ending.js';
import type { JsonObject } from '../termination/json.js';
import type { LimitChange, RunLimits } from './limits.js';
import type { BodyResult, RunContext } from './run-context.js';
import type { Secrets } from './secrets/secrets.js';

/** The definition of a run with a body of your own. */
export interface DefineRunOptions<
  TInput,
  TResult extends BodyResult,
  TDefinitions extends readonly AnyTerminationDefinition[],
> {
  readonly name: string;
  /** Which code wrote the journal; resumes need the same. '1' unless given. */
  readonly version?: string;
  readonly limits?: RunLimits;
  /** Custom kinds that this run may end with. */
  readonly terminations?: TDefinitions;
  /** The tags that `custom` endings of this run may put on a dashboard; at most 50. */
  readonly customTags?: readonly string[];
  /** Endings that count as success although their kind does not. */
  readonly treatAsSuccess?: (termination: Ending) => boolean;
  /** How long a cancelled body may take to unwind, and its undo steps after that; 5,000 unless given. */
  readonly graceMs?: number;
  /** Values that neither the journal nor the body may hold: they see placeholders, and steps `unseal` them. */
  readonly secrets?: Secrets;
  /** Drop and replay the body after every step, in workers too: finds what does not survive a crash. */
  readonly alwaysReplay?: boolean;
  /** Notified of each ending at least once, even if this process dies before: names that `deliver` knows. */
  readonly onEnding?: readonly string[];
  run(context: RunContext, input: TInput): Promise<TResult>;
}

/** The options of a start. */
export interface RunOptions {
  /** A private memory engine unless given. */
  readonly engine?: Engine;
  /** The clock of the private engine; an engine that is given has its own. */
  readonly clock?: Clock;
  /** Makes the start idempotent; drawn unless given. */
  readonly runId?: string;
  readonly signal?: AbortSignalLike;
  /** End the segment when everything waits for someone ('end'), or stay in this process ('wait'). */
  readonly onPause?: 'end' | 'wait';
  /** Drop and replay the body after every step: finds what does not survive a crash. */
  readonly alwaysReplay?: boolean;
  /** Called when the run is on its engine, or its next segment is open, before that is executed; what it throws is ignored. Never called where a start is refused. */
  readonly onStart?: () => void;
  /** Called with every journal entry of this process; what it throws is ignored. */
  readonly onEntry?: (entry: EntryDraft) => void;
}

/** The options of a resume. */
export interface ResumeOptions extends RunOptions {
  readonly answers?: Readonly<Record<string, RequestAnswer>>;
  /** New limits; `null` takes one away. */
  readonly limits?: LimitChange;
  /** The unit whose limits change, if it is not the one that ended. */
  readonly at?: string;
  /** New deadlines for requests, in milliseconds since 1970. */
  readonly deadlines?: Readonly<Record<string, number>>;
  /** Information about the resume for a machine; it is in the entry that opens the segment. */
  readonly changes?: JsonObject;
  /** Who resumes, for the journal. */
  readonly by?: string;
  /**
   * The ending that this was decided on, by its segment or its category: after any other the resume is refused as a conflict. An answer
   * to a pause, with `{ category: 'paused' }`, does not continue a run that somebody has cancelled since.
   */
  readonly onlyAfter?: { readonly segment?: number; readonly category?: Category };
}
