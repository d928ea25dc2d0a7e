import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../postgres/cluster.js';
import type { Mate, ServerCrew } from './server-crew.js';

export interface Scene {
  readonly crew: ServerCrew;
  readonly cluster: Cluster;
  readonly random: () => number;
  /** The runs that a process has by now, by what the tables say. */
  owned(pid: number): Promise<number>;
  /** Starts a run and answers one, from many clients at once. */
  crowd(): Promise<void>;
  /** Replaces all workers by those of the next version. */
  deploy(): Promise<void>;
  /** The processes of the server that serve the sessions by which workers show that they live and what they have. */
  sessions(): Promise<readonly number[]>;
  endSession(pid: number): Promise<void>;
}

const lookMs = 50;

/** Settles when a process has something that others can take. */
async function untilRich({ owned }: Scene, { process: child }: Mate): Promise<void> {
  while ((await owned(child.pid ?? 0)) === 0) await sleep(lookMs);
}

/** Settles when others have everything that a process had. */
async function untilRobbed({ owned }: Scene, { process: child }: Mate): Promise<void> {
  while ((await owned(child.pid ?? 0)) > 0) await sleep(lookMs);
}

function anyone({ crew, random }: Scene): Mate {
  return crew.mates[Math.floor(random() * crew.mates.length)] as Mate;
}

/** The disturbances of workers and their server, by name. Each settles when it is over. */
export const disturbances = {
  kill: async (scene: Scene): Promise<void> => {
    const mate = anyone(scene);
    await mate.atWork;
    await sleep(scene.random() ** 2 * 900);
    await scene.crew.replace(mate);
  },
  /** Frozen until others have its runs, and thawed. */
  freeze: async (scene: Scene): Promise<void> => {
    const mate = anyone(scene);
    await untilRich(scene, mate);
    mate.process.kill('SIGSTOP');
    await untilRobbed(scene, mate);
    mate.process.kill('SIGCONT');
  },
  /** Cut off without a word until others have its runs. */
  stall: async (scene: Scene): Promise<void> => {
    const mate = anyone(scene);
    await untilRich(scene, mate);
    mate.proxy.stall();
    await untilRobbed(scene, mate);
    mate.proxy.cut();
    mate.proxy.flow();
  },
  cut: async (scene: Scene): Promise<void> => {
    const mate = anyone(scene);
    await mate.atWork;
    mate.proxy.cut();
  },
  /** One session of somebody, who has others: what it alone showed is gone, and its process is not. */
  session: async ({ sessions, endSession, random }: Scene): Promise<void> => {
    let pids = await sessions();
    for (; pids.length === 0; pids = await sessions()) await sleep(lookMs);
    await endSession(pids[Math.floor(random() * pids.length)] ?? 0);
  },
  server: async ({ cluster }: Scene): Promise<void> => {
    await cluster.kill?.();
    await cluster.restart?.();
  },
  crowd: async ({ crowd }: Scene): Promise<void> => crowd(),
  deploy: async ({ deploy }: Scene): Promise<void> => deploy(),
} as const;

export type DisturbanceName = keyof typeof disturbances;

/** Of a hundred disturbances, how many are of which kind. The first of each comes early, so that a short test has all of them. */
const shares: Readonly<Record<DisturbanceName, number>> = {
  kill: 62,
  freeze: 5,
  stall: 5,
  cut: 10,
  session: 5,
  server: 3,
  crowd: 7,
  deploy: 3,
};

export function isDisturbance(name: string): name is DisturbanceName {
  return Object.hasOwn(disturbances, name);
}

/** The disturbances of a whole test, in the order of their turns. */
export function planDisturbances(count: number, random: () => number): readonly DisturbanceName[] {
  const names = Object.keys(shares) as DisturbanceName[];
  const draw = (): DisturbanceName => {
    let left = random() * 100;
    return (
      names.find((name) => {
        left -= shares[name];
        return left < 0;
      }) ?? 'kill'
    );
  };
  return [...names, ...Array.from({ length: Math.max(0, count - names.length) }, draw)];
}
