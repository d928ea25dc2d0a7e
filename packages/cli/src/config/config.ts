import type { QueueLimits } from 'fullstop/engines/dbos';

/** A queue: what its limits are, and whose runs are put on it. */
export interface QueueSettings extends QueueLimits {
  /** The names of the workflows or definitions; those that no queue names are on the queue `fullstop`. */
  readonly workflows?: readonly string[];
  /** Of their segments in the queue those with smaller numbers go first. */
  readonly priority?: number;
}

/** The contents of `fullstop.config.*`. Everything is optional. */
export interface Config {
  /** Where runs are kept; relative to the file. */
  readonly store?: string;
  /** The provider and model for steps that name none that is there. */
  readonly provider?: string;
  readonly model?: string;
  /** Names of models in files, and what to use in their place: `{ "gpt-4o": "openai/gpt-5" }`. */
  readonly models?: Readonly<Record<string, string>>;
  /** Prices of models in dollars per million tokens. */
  readonly prices?: Readonly<Record<string, { readonly inputPerMillion: number; readonly outputPerMillion: number }>>;
  /** Environment variables whose values are sealed in journals and masked on every way out. */
  readonly secrets?: readonly string[];
  /** Webhooks that are notified of each ending. */
  readonly onEnding?: Readonly<Record<string, { readonly url: string; readonly secret: string }>>;
  /** Queues of DBOS with their limits, for `fullstop worker --queue`: `{ "heavy": { "globalConcurrency": 2, "workflows": ["train"] } }`. */
  readonly queues?: Readonly<Record<string, QueueSettings>>;
  /** Options that commands use unless others are given: `{ "run": { "skip-gates": true } }`. */
  readonly defaults?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

/** A configuration and where it came from. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file, absolute; undefined when there is none. */
  readonly file?: string;
}
