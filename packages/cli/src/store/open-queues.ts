import type { RunnableDefinition } from 'fullstop/engine';
import type { RunPlace } from 'fullstop/engines/dbos';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { UsageError } from '../command-line/usage-error.js';
import type { Config, QueueSettings } from '../config/config.js';
import type { StoreOpener } from './open-store.js';

export interface QueuesWish {
  /** The queues whose segments are to be executed here. */
  readonly listen: readonly string[];
  readonly config: Config;
  readonly definitions: readonly RunnableDefinition[];
  /** How long DBOS keeps dispatches after their end; as long as usual where undefined. */
  readonly keepDispatchesMs: number | undefined;
  onError(error: Error): void;
}

/** Opens a store on Postgres whose segments DBOS schedules. Runs of workflow files can be executed by every worker; definitions only by those that have them. */
export function queuesOpener({ listen, config, definitions, keepDispatchesMs, onError }: QueuesWish): StoreOpener {
  return async ({ server, file }): Promise<StoreEngine> => {
    if (server === undefined)
      throw new UsageError(
        `Queues need a store on Postgres, and ${file} is a file. Name a database with --store or FULLSTOP_STORE, or leave --queue out.`,
      );
    const queues = config.queues ?? {};
    const unknown = listen.find((name) => !usualQueues.includes(name) && !Object.hasOwn(queues, name));
    if (unknown !== undefined)
      throw new UsageError(
        `There is no queue ${JSON.stringify(unknown)}: the configuration names ${[usualQueue, ...Object.keys(queues)].join(', ')}.`,
      );
    const { dbosEngine } = await import('fullstop/engines/dbos');
    const names = definitions.map(({ name, version }) => `${name}@${version}`).sort();
    return dbosEngine({
      url: server,
      applicationVersion: ['fullstop-cli', ...names].join(' '),
      // Whoever executes the usual runs executes what they spawn.
      listen: listen.includes(usualQueue) ? [...new Set([...listen, ...usualQueues])] : listen,
      queues: Object.fromEntries(Object.entries(queues).map(([name, settings]) => [name, limitsOf(settings)])),
      place: ({ name }) => placeOf(queues, name),
      onError,
      ...(keepDispatchesMs !== undefined && { keepDispatchesMs }),
    });
  };
}

const usualQueue = 'fullstop';
/** The queues that are there without a configuration: the second has the runs that others have spawned. */
const usualQueues: readonly string[] = [usualQueue, 'fullstop.spawned'];

function limitsOf({
  workflows: _,
  priority: __,
  ...limits
}: QueueSettings): Omit<QueueSettings, 'priority' | 'workflows'> {
  return limits;
}

function placeOf(queues: Readonly<Record<string, QueueSettings>>, run: string): RunPlace | undefined {
  const [queue, settings] = Object.entries(queues).find(([, { workflows }]) => workflows?.includes(run)) ?? [];
  if (queue === undefined) return undefined;
  // A queue with limits for partitions shares them out between definitions.
  const isShared = Object.keys(settings ?? {}).some((key) => key.startsWith('partition'));
  return {
    queue,
    ...(settings?.priority !== undefined && { priority: settings.priority }),
    ...(isShared && { partition: run }),
  };
}
