import type { EntryDraft } from '../engines/port/journal-entry.js';
import type { Ending } from '../termination/ending.js';
import type { TerminationRegistry } from '../termination/registry.js';
import type { RunLimits } from './limits.js';
import type { Spawnable } from './run-context.js';
import type { Secrets } from './secrets/secrets.js';

/** The settings of an execution: everything that it needs besides the journal. */
export interface RunSettings {
  readonly registry: TerminationRegistry;
  readonly customTags: readonly string[];
  /** The limits of a unit: its own, as changed by resumes. */
  limitsOf(scope: string, own?: RunLimits): RunLimits;
  /** The deadline that a resume set for a request. */
  deadlineOf(requestId: string): number | undefined;
  /** How long a cancelled body may take to unwind and undo. */
  readonly graceMs: number;
  /** Sleeps longer than this release the run on engines that keep it. */
  readonly parkAfterMs: number;
  /** End the segment when everything waits, or stay. */
  readonly onPause: 'end' | 'wait';
  /** Drop and replay the body after every step: finds what does not survive a crash. */
  readonly alwaysReplay: boolean;
  /** Called with every entry; what they throw is ignored. */
  readonly observers: readonly ((entry: EntryDraft) => void)[];
  /** Secrets that are sealed before they reach the journal or the body; absent when there are none. */
  readonly secrets?: Secrets;
  /** An ending that counts as success although its kind does not. */
  treatAsSuccess(termination: Ending): boolean;
  /** Executes a spawned run here, if its definition can and no worker is quicker. */
  launch(definition: Spawnable, runId: string): void;
  /** From 0 to 1; only for jitter, nothing that is decided depends on it. */
  random(): number;
}
