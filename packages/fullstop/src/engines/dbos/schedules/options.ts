import type { JsonValue } from '../../../termination/json.js';
import type { Engine } from '../../port/engine.js';

/** A definition whose runs can be started: of a run, an agent, a pipeline, a convergence or a workflow. */
export interface Schedulable<TInput> {
  readonly name: string;
  run(input: TInput, options: { readonly engine: Engine }): Promise<unknown>;
}

/** When the runs of a schedule are started, and with which input. */
export interface ScheduleOptions<TInput> {
  /** Five fields, or six with seconds in front, such as `30 6 * * 1-5`. */
  readonly cron: string;
  /** The input of every run. */
  readonly input: TInput;
  /** Names the schedule, and begins the ids of its runs; the name of the definition unless given. The same name again changes it. */
  readonly name?: string;
  /** Whose clock counts, as a name of the IANA database; `UTC` unless given. */
  readonly timezone?: string;
  /** Whether ticks at which no worker was there are made up for; `skip` unless given. */
  readonly missed?: 'skip' | 'run';
}

/** A schedule as it is stored. */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly missed: 'skip' | 'run';
  /** The definition of its runs. */
  readonly run: { readonly name: string; readonly version: string };
  readonly input?: JsonValue;
  /** True while somebody has paused it in DBOS. */
  readonly paused: boolean;
  /** The last tick that was due while a worker was there. */
  readonly lastAt?: number;
  readonly nextAt?: number;
}
