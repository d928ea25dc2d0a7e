import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SqliteEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { chaosAgents } from './agent-bodies.js';
import { type AgentCounts, type StartedAgent, verifyAgents } from './agent-verify.js';
import { buildWorker } from './build-worker.js';
import { describeOpenRuns } from './describe-open-runs.js';
import { EffectLog, readLog } from './effect-log.js';
import { StallWatch } from './stall-watch.js';
import { Workers } from './workers.js';

export interface AgentChaosOptions {
  readonly seed: number;
  /** Kills continue until there were so many, and runs are started until there were so many. */
  readonly kills: number;
  readonly runs: number;
}

export interface AgentChaosResult extends AgentCounts {
  readonly seed: number;
  readonly kills: number;
}

/** Kills workers at random moments while they execute agents, lets all of them reach their end and checks the laws. */
export async function agentChaos({ seed, kills, runs }: AgentChaosOptions): Promise<AgentChaosResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-agent-chaos-'));
  const engine = sqliteEngine(join(folder, 'runs.db'), { pollMs: 20 });
  try {
    const torment = new Torment(engine, folder, seed);
    const made = await torment.run(kills, runs);
    const counts = await verifyAgents(engine, torment.started, readLog(join(folder, 'effects.log')));
    return { seed, kills: made, ...counts };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

class Torment {
  readonly started: StartedAgent[] = [];
  readonly #engine: SqliteEngine;
  readonly #folder: string;
  readonly #random: () => number;

  constructor(engine: SqliteEngine, folder: string, seed: number) {
    this.#engine = engine;
    this.#folder = folder;
    this.#random = seededRandom(seed);
  }

  async run(wanted: number, runs: number): Promise<number> {
    let kills = 0;
    const watch = new StallWatch(() => describeOpenRuns(this.#engine, this.started));
    const workers = new Workers(
      {
        script: await buildWorker('tests/chaos/agent-worker.ts'),
        args: () => [join(this.#folder, 'runs.db'), join(this.#folder, 'effects.log'), ...this.#fate(kills < wanted)],
        lifetime: () => undefined,
        onKilled: () => {
          kills += 1;
        },
      },
      2,
    );
    try {
      for (let unfinished = 0; kills < wanted || this.started.length < runs || unfinished > 0; await sleep(20)) {
        if ((kills < wanted || this.started.length < runs) && unfinished < 12) await this.#start();
        unfinished = await this.#attend();
        await watch.note({ kills, started: this.started.length, unfinished });
      }
    } finally {
      await workers.stop();
    }
    const problems = workers.errors.filter((text) => !text.includes('ExperimentalWarning'));
    if (problems.length > 0) throw new Error(`The workers complained:\n${problems.slice(0, 5).join('\n')}`);
    return kills;
  }

  /** After how many effects a worker is killed, and how many milliseconds later. */
  #fate(isKilled: boolean): readonly string[] {
    if (!isKilled) return [];
    return [String(1 + Math.floor(this.#random() * 6)), String(Math.floor(this.#random() ** 2 * 60))];
  }

  async #start(): Promise<void> {
    const agents = chaosAgents(new EffectLog(join(this.#folder, 'effects.log')));
    const agent = agents[this.started.length % agents.length];
    if (agent === undefined) return;
    const rounds = 1 + Math.floor(this.#random() * 5);
    const runId = `${agent.name}-${this.started.length}`;
    this.started.push({ runId, rounds, agent });
    await this.#engine.start({ runId, name: agent.name, version: agent.version, input: `rounds ${rounds}` });
  }

  /** Answers whatever is asked; returns the number of runs that have not reached their end. */
  async #attend(): Promise<number> {
    let unfinished = 0;
    for (const { runId } of this.started) {
      const ending = await this.#engine.ending(runId);
      if (ending?.category === 'success') continue;
      unfinished += 1;
      for (const { id, type } of await this.#engine.openRequests(runId)) {
        const value = type === 'confirm_outcome' ? { value: 'it did happen' } : {};
        await this.#engine.answer(runId, id, { decision: 'approve', by: 'operator', ...value });
      }
      if (ending?.termination.kind === 'failed') await this.#continue(runId, ending.segment, ending.termination.error);
    }
    return unfinished;
  }

  /** The only failure that kills may cause is that of a run whose owners all died at once. */
  async #continue(runId: string, after: number, { code, message }: { code?: string; message: string }): Promise<void> {
    if (code !== 'CRASH_LOOP') throw new Error(`The run ${runId} failed: ${message}`);
    await this.#engine.reopen({ runId, after, because: 'resume', by: 'operator' });
  }
}
