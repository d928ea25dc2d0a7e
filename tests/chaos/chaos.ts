import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SqliteEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { type ChaosInput, chaosRuns } from './bodies.js';
import { buildWorker } from './build-worker.js';
import { EffectLog, readLog } from './effect-log.js';
import { Operator } from './operator.js';
import { type Counts, verify } from './verify.js';
import { Workers } from './workers.js';

export interface ChaosOptions {
  readonly seed: number;
  /** Kills continue until there were so many, and runs are started until there were so many. */
  readonly kills: number;
  readonly runs: number;
  readonly workers?: number;
  onProgress?(kills: number, runs: number): void;
}

export interface ChaosResult extends Counts {
  readonly seed: number;
  readonly kills: number;
  readonly cancelled: number;
  readonly crashLoops: number;
  readonly seconds: number;
}

/** Kills workers at random moments while they execute runs, lets everything reach its end and checks the laws. */
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-chaos-'));
  const started = Date.now();
  const engine = sqliteEngine(join(folder, 'runs.db'), { pollMs: 20 });
  try {
    const { kills, operator } = await torment(engine, folder, options);
    const counts = await verify(engine, await operator.allRuns(), readLog(join(folder, 'effects.log')));
    const { cancelled, crashLoops } = operator;
    return {
      seed: options.seed,
      kills,
      cancelled,
      crashLoops,
      ...counts,
      seconds: Math.round((Date.now() - started) / 1000),
    };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

async function torment(
  engine: SqliteEngine,
  folder: string,
  options: ChaosOptions,
): Promise<{ kills: number; operator: Operator }> {
  const logFile = join(folder, 'effects.log');
  const log = new EffectLog(logFile);
  const random = seededRandom(options.seed);
  const names = chaosRuns(log).map(({ name }) => name);
  const operator = new Operator(engine, log, random);
  const draw = (): ChaosInput => ({
    size: 1 + Math.floor(random() * 4),
    deadline: Date.now() + 300 + Math.floor(random() * 1500),
  });
  let kills = 0;
  const workers = new Workers(
    {
      script: await buildWorker(),
      args: () => [join(folder, 'runs.db'), logFile, random() < 0.3 ? 'thread' : 'here', ...operator.someToJoin()],
      lifetime: () => (kills < options.kills ? 60 + Math.floor(random() ** 2 * 900) : undefined),
      onKilled: () => {
        kills += 1;
      },
    },
    options.workers ?? 3,
  );
  try {
    for (let turn = 0; kills < options.kills || operator.started < options.runs; turn += 1) {
      if (operator.unfinished < 40) await operator.start(names[turn % names.length] ?? 'steps', draw());
      await operator.attend();
      await operator.watch.note({ kills, started: operator.started, unfinished: operator.unfinished });
      options.onProgress?.(kills, operator.started);
      await sleep(20);
    }
    await operator.settle();
  } finally {
    await workers.stop();
  }
  const problems = workers.errors.filter((text) => !text.includes('ExperimentalWarning'));
  if (problems.length > 0)
    throw new Error(`The workers complained:\n${[...new Set(problems)].slice(0, 10).join('\n')}`);
  return { kills, operator };
}
