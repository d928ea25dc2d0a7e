import type { RunIdentity } from '../port/engine.js';
import type { PostgresServer, PostgresSettings } from '../postgres/options.js';
import type { StoreEngine } from '../store/engine-options.js';
import type { Schedulable, Schedule, ScheduleOptions } from './schedules/options.js';

/** A limit of so many starts within so many seconds. */
export interface QueueRate {
  readonly limitPerPeriod: number;
  readonly periodSec: number;
}

/** The limits of a queue, as DBOS enforces them. They belong to the queue, so that all workers should be given the same. */
export interface QueueLimits {
  /** How many segments one process executes at once; the concurrency of its workers unless given. */
  readonly workerConcurrency?: number;
  /** How many segments all processes execute at once. */
  readonly globalConcurrency?: number;
  readonly rateLimit?: QueueRate;
  /** The same for each partition; with one of these every run of the queue needs a partition. */
  readonly partitionConcurrency?: number;
  readonly partitionWorkerConcurrency?: number;
  readonly partitionRateLimit?: QueueRate;
}

/** Where in the queues a segment of a run is put. */
export interface RunPlace {
  /** `fullstop` unless given. */
  readonly queue?: string;
  /** Smaller numbers are executed first; 0 unless given. */
  readonly priority?: number;
  /** Whose share of the limits it uses, on a queue with limits for partitions. */
  readonly partition?: string;
  readonly delaySeconds?: number;
}

/** Options of the engine on Postgres whose workers take runs from queues of DBOS. */
export type DbosEngineOptions = PostgresServer & DbosSettings;

/** Options of the engine on DBOS, whichever way its server is reached. */
export interface DbosSettings extends Omit<PostgresSettings, 'sessions'> {
  /** The schema of DBOS's own tables, in the same database; `dbos` unless given. */
  readonly dbosSchema?: string;
  /** The name of the application as DBOS lists it; `fullstop` unless given. */
  readonly application?: string;
  /**
   * Names what this process can execute: DBOS hands segments only to processes of the version that they were queued for. Derived from the names and
   * versions of the definitions unless given; give it where definitions are added while a worker runs.
   */
  readonly applicationVersion?: string;
  /** Queues and their limits, by name. The queues `fullstop` and `fullstop.spawned` are there in any case. */
  readonly queues?: Readonly<Record<string, QueueLimits>>;
  /** Only segments of these queues are executed by this process; of all unless given. */
  readonly listen?: readonly string[];
  /**
   * Where a run is put, which was spawned in the tree of runs of `root`. Unless it says so, runs are put on the queue `fullstop`, and those that other
   * runs have spawned on `fullstop.spawned`, with the root as their partition. Asked by the worker that queues it.
   */
  readonly place?: (run: RunIdentity, root: string) => RunPlace | undefined;
  /** Called when a worker cannot reach its queues; it tries again by itself. */
  readonly onError?: (error: Error) => void;
  /**
   * How long DBOS keeps a dispatch or a tick after its end, in milliseconds; seven days unless given. Workers remove what is older, and a prune what
   * belongs to the runs that it removes.
   */
  readonly keepDispatchesMs?: number;
  /** How often DBOS looks at a queue; 100 milliseconds unless given. */
  readonly queuePollMs?: number;
}

/** Runs that no living worker can execute: none has their definition in their version, or none of those that may take them listens to their queue. */
export interface UnservedRuns {
  readonly name: string;
  readonly version: string;
  /** The queue that they are on, in the name of an application version of which no worker listens to it. Absent where no worker has their definition. */
  readonly queue?: string;
  /** How many could continue at once. */
  readonly ready: number;
  /** How many wait for an answer or an instant. */
  readonly parked: number;
}

/** An engine on a database of Postgres whose segments DBOS schedules. */
export interface DbosEngine extends StoreEngine {
  /** Fails where the workers of this engine get nothing from their queues: DBOS is not launched yet, or cannot reach its tables. */
  checkQueues(): Promise<void>;
  /** The runs that wait for a worker of their version, which nobody would tell of otherwise. */
  unserved(): Promise<readonly UnservedRuns[]>;
  /**
   * Starts a run of a definition whenever a schedule is due, in the version that the definition has now. The run of a tick has one id, so that it is
   * started once, however many workers there are. The same name again changes the schedule.
   */
  schedule<TInput>(definition: Schedulable<TInput>, options: ScheduleOptions<TInput>): Promise<Schedule>;
  schedules(): Promise<readonly Schedule[]>;
  /** Removes a schedule; runs that it started continue. False where there is none of that name. */
  unschedule(name: string): Promise<boolean>;
}
