import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import { check } from '../../../packages/fullstop/src/testing/check.js';
import { seededRandom } from '../../../packages/fullstop/src/testing/seeded-random.js';
import { type Cluster, startCluster } from '../../postgres/cluster.js';
import { type ChaosInput, chaosRuns } from '../bodies.js';
import { buildWorker } from '../build-worker.js';
import { EffectLog, readLog } from '../effect-log.js';
import { Operator } from '../operator.js';
import { type Counts, verify } from '../verify.js';
import { ClientCrowd } from './client-crowd.js';
import { checkVersions, deploy } from './deploy.js';
import { type DisturbanceName, disturbances, planDisturbances } from './disturbances.js';
import { patientAsk, patientEngine } from './patient-engine.js';
import { ServerCrew } from './server-crew.js';
import { type ServerEngineName, serverEngines } from './server-engines.js';
import { checkServerLaws, type ServerCounts } from './server-laws.js';

export interface ServerChaosOptions {
  readonly engine: ServerEngineName;
  readonly seed: number;
  /** How many disturbances; most of them are kills. */
  readonly kills: number;
  readonly runs: number;
  readonly workers: number;
  /** Only disturbances of this kind; of all kinds unless given. */
  readonly only?: DisturbanceName;
  onProgress?(done: number, runs: number): void;
}

export interface ServerChaosResult extends Counts, ServerCounts {
  readonly engine: ServerEngineName;
  readonly seed: number;
  readonly workers: number;
  readonly disturbances: Readonly<Record<DisturbanceName, number>>;
  readonly cancelled: number;
  readonly crashLoops: number;
  /** Runs that failed because the server was away for longer than their workers wait; they were resumed. */
  readonly outages: number;
  /** Sessions that learnt that their run was another's by then; what they had was refused. */
  readonly fenced: number;
  /** Versions of the definitions that runs were started with; nobody but workers of its version executed a run. */
  readonly versions: number;
  readonly seconds: number;
}

const leaseMs = 4000;
const mostSkewMs = 5000;

/** Kills, freezes and cuts off workers, and kills their server, while runs are executed; then checks the laws. */
export async function serverChaos(options: ServerChaosOptions): Promise<ServerChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-server-chaos-'));
  const started = Date.now();
  const cluster = await startCluster();
  if (cluster.kill === undefined) throw new Error('This server cannot be killed: unset PG_URL.');
  const engine = patientEngine(serverEngines[options.engine]({ url: cluster.url, leaseMs, pollMs: 100 }));
  try {
    const torment = new Torment(engine, cluster, folder, options);
    const { operator, counted } = await torment.run();
    const lines = readLog(join(folder, 'effects.log'));
    const sql = await checkServerLaws(cluster.url);
    const counts = await verify(engine, await operator.allRuns(), lines);
    const versions = checkVersions(lines, await operator.allVersions());
    const { engine: name, seed, workers } = options;
    return {
      ...{ engine: name, seed, workers, disturbances: counted },
      cancelled: operator.cancelled,
      crashLoops: operator.crashLoops,
      outages: operator.outages,
      ...counts,
      ...sql,
      fenced: lines.filter(({ type }) => type === 'fenced').length,
      versions,
      seconds: Math.round((Date.now() - started) / 1000),
    };
  } finally {
    await engine.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  }
}

class Torment {
  readonly #engine: StoreEngine;
  readonly #cluster: Cluster;
  readonly #options: ServerChaosOptions;
  readonly #logFile: string;
  readonly #random: () => number;
  readonly #operator: Operator;
  readonly #clients: ClientCrowd;
  readonly #names: readonly string[];
  #done = 0;

  constructor(engine: StoreEngine, cluster: Cluster, folder: string, options: ServerChaosOptions) {
    this.#engine = engine;
    this.#cluster = cluster;
    this.#options = options;
    this.#logFile = join(folder, 'effects.log');
    this.#random = seededRandom(options.seed);
    const log = new EffectLog(this.#logFile);
    this.#names = chaosRuns(log).map(({ name }) => name);
    this.#operator = new Operator(engine, log, this.#random);
    this.#operator.isServerKilled = true;
    const open = (): StoreEngine => serverEngines[options.engine]({ url: cluster.url, leaseMs, pollMs: 100 });
    this.#clients = new ClientCrowd(open, log);
  }

  async run(): Promise<{ operator: Operator; counted: Readonly<Record<DisturbanceName, number>> }> {
    // The schema is there before anyone is killed.
    await this.#engine.list({ limit: 1 });
    const script = await buildWorker('tests/chaos/server/server-worker.ts');
    const skew = (): string => String(Math.round((this.#random() * 2 - 1) * mostSkewMs));
    const { engine, workers } = this.#options;
    const crew = await ServerCrew.start({
      script,
      url: this.#cluster.url,
      size: workers,
      args: (url, version) => [engine, url, this.#logFile, String(leaseMs), skew(), version],
    });
    try {
      let isOver = false;
      const disturbing = this.#disturb(crew).finally(() => {
        isOver = true;
      });
      await Promise.all([disturbing, this.#operate(() => isOver)]);
      await this.#operator.settle();
      const problems = crew.errors.filter((text) => !text.includes('Warning'));
      check(problems.length === 0, `The workers complained:\n${[...new Set(problems)].slice(0, 10).join('\n')}`);
      return { operator: this.#operator, counted: await disturbing };
    } finally {
      await crew.stop();
      await this.#clients.close();
    }
  }

  /** Starts runs and attends to them until everything was done to their workers. */
  async #operate(isOver: () => boolean): Promise<void> {
    const { runs, onProgress } = this.#options;
    const operator = this.#operator;
    for (let turn = 0; !isOver() || operator.started < runs; turn += 1) {
      if (operator.unfinished < 30)
        await operator.start(this.#names[turn % this.#names.length] ?? 'steps', this.#draw());
      await operator.attend();
      await operator.watch.note({ done: this.#done, started: operator.started, unfinished: operator.unfinished });
      onProgress?.(this.#done, operator.started);
      await sleep(50);
    }
  }

  async #disturb(crew: ServerCrew): Promise<Readonly<Record<DisturbanceName, number>>> {
    const counted = Object.fromEntries(Object.keys(disturbances).map((name) => [name, 0])) as Record<
      DisturbanceName,
      number
    >;
    const owned = async (pid: number): Promise<number> => {
      const text = `SELECT count(*)::int AS count FROM fullstop.runs WHERE state = 'running' AND owner LIKE '${pid}\\_%'`;
      const [row] = await patientAsk<{ count: number }>(this.#cluster.url, text);
      return row?.count ?? 0;
    };
    const [operator, engine, random] = [this.#operator, this.#engine, this.#random];
    const parts = { crew, operator, engine, random, draw: () => this.#draw() };
    const scene = {
      crew,
      cluster: this.#cluster,
      random,
      owned,
      crowd: () => this.#clients.meet(this.#operator.version, this.#draw()),
      deploy: () => deploy(parts),
      sessions: async () => {
        const text = "SELECT pid FROM pg_stat_activity WHERE application_name = 'fullstop session' ORDER BY pid";
        return (await patientAsk<{ pid: number }>(this.#cluster.url, text)).map(({ pid }) => pid);
      },
      endSession: async (pid: number) => {
        await patientAsk(this.#cluster.url, `SELECT pg_terminate_backend(${pid})`);
      },
    };
    const { kills, only } = this.#options;
    const plan = only === undefined ? planDisturbances(kills, this.#random) : Array.from({ length: kills }, () => only);
    for (const name of plan) {
      await disturbances[name](scene);
      counted[name] += 1;
      this.#done += 1;
    }
    return counted;
  }

  #draw(): ChaosInput {
    return {
      size: 1 + Math.floor(this.#random() * 4),
      deadline: Date.now() + 300 + Math.floor(this.#random() * 1500),
    };
  }
}
