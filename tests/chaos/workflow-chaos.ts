import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { type SqliteEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { checkEqual } from '../../packages/fullstop/src/testing/check.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { loadWorkflow } from '../../packages/fullstop/src/workflow/load-workflow.js';
import type { WorkflowRunInput } from '../../packages/fullstop/src/workflow/run-input.js';
import { sourceOf } from '../../packages/fullstop/src/workflow/stored-source.js';
import { root } from '../../scripts/published-packages.js';
import { describeOpenRuns } from './describe-open-runs.js';
import { StallWatch } from './stall-watch.js';
import { Workers } from './workers.js';
import { work, writeFiles } from './workflow-body.js';
import { readExecutions, type StartedOrder, verifyOrders, type WorkflowCounts } from './workflow-verify.js';

export interface WorkflowChaos extends WorkflowCounts {
  readonly seed: number;
  readonly kills: number;
}

interface Wanted {
  readonly seed: number;
  /** Kills continue until there were so many, and runs are started until there were so many. */
  readonly kills: number;
  readonly runs: number;
}

/** Kills the processes that run a workflow at random moments, lets every run reach its end and checks the laws. */
export async function workflowChaos({ seed, kills, runs }: Wanted): Promise<WorkflowChaos> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-workflow-chaos-'));
  const engine = sqliteEngine(join(folder, 'runs.db'), { pollMs: 20 });
  try {
    const torment = new Torment(engine, folder, seed);
    const made = await torment.run(kills, runs);
    const executions = readExecutions(readFileSync(torment.log, 'utf8'));
    return { seed, kills: made, ...(await verifyOrders(engine, torment.started, executions)) };
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

class Torment {
  readonly started: StartedOrder[] = [];
  readonly log: string;
  readonly #engine: SqliteEngine;
  readonly #folder: string;
  readonly #random: () => number;
  readonly #source: WorkflowRunInput['source'];

  constructor(engine: SqliteEngine, folder: string, seed: number) {
    this.#engine = engine;
    this.#folder = folder;
    this.#random = seededRandom(seed);
    this.log = join(folder, 'effects.log');
    this.#source = sourceOf(loadWorkflow(writeFiles(join(folder, 'files'))).loaded);
    // Whoever continues has only what is stored with the run.
    rmSync(join(folder, 'files'), { recursive: true });
  }

  async run(wanted: number, runs: number): Promise<number> {
    let kills = 0;
    const watch = new StallWatch(() => describeOpenRuns(this.#engine, this.started));
    const plan = {
      script: await buildWorker(),
      args: () => [join(this.#folder, 'runs.db'), this.log, ...this.#fate(kills < wanted)],
      lifetime: () => undefined,
      onKilled: () => {
        kills += 1;
      },
    };
    const workers = new Workers(plan, 2);
    try {
      for (let open = 0; kills < wanted || this.started.length < runs || open > 0; await sleep(20)) {
        if ((kills < wanted || this.started.length < runs) && open < 8) await this.#start();
        open = await this.#attend();
        await watch.note({ kills, started: this.started.length, open });
      }
    } finally {
      await workers.stop();
    }
    const problems = workers.errors.filter((text) => !text.includes('ExperimentalWarning'));
    checkEqual(problems.slice(0, 3), [], 'what the workers complained about');
    return kills;
  }

  /** How many milliseconds after its first run a worker is killed. */
  #fate(isKilled: boolean): readonly string[] {
    return isKilled ? [String(Math.floor(this.#random() ** 2 * 500))] : [];
  }

  async #start(): Promise<void> {
    const runId = `order-${this.started.length}`;
    const items = Array.from({ length: 1 + Math.floor(this.#random() * 4) }, (_, n) => `part${n}`);
    const inputs = { run: runId, log: this.log, pace: Math.floor(this.#random() * 10), items };
    const input: WorkflowRunInput = {
      inputs: JSON.stringify(inputs),
      source: this.#source,
      options: { lenient: false, skipGates: false, maxIterations: 100 },
    };
    this.started.push({ runId, items, chosen: [] });
    await this.#engine.start({ runId, name: 'order', version: '1', input: input as never });
  }

  /** Answers the gates that are open; returns how many runs have not reached their end. */
  async #attend(): Promise<number> {
    let open = 0;
    for (const order of this.started) {
      const ending = await this.#engine.ending(order.runId);
      if (ending?.open === false) continue;
      open += 1;
      const { termination, segment, category } = ending ?? {};
      if (termination?.kind === 'failed') await this.#continue(order.runId, segment ?? 0, termination.error);
      if (category === 'paused') await this.#answer(order);
    }
    return open;
  }

  async #answer({ runId, chosen }: StartedOrder): Promise<void> {
    for (const { id } of await this.#engine.openRequests(runId)) {
      const decided = this.#random() < 0.3 ? 'again' : 'ship';
      const value = id.startsWith('ship') ? 'taken' : decided;
      const receipt = await this.#engine.answer(runId, id, { decision: 'value', value, by: 'operator' });
      if (receipt.status === 'delivered') chosen.push(value);
    }
  }

  /** The only failure that kills may cause is that of a run whose owners all died at once. */
  async #continue(runId: string, after: number, { code, message }: { code?: string; message: string }): Promise<void> {
    checkEqual(code, 'CRASH_LOOP', `why ${runId} failed (${message})`);
    await this.#engine.reopen({ runId, after, because: 'resume', by: 'operator' });
  }
}

async function buildWorker(): Promise<string> {
  const outdir = join(root, '.cache', 'workflow-chaos');
  mkdirSync(outdir, { recursive: true });
  const store = join(root, 'packages/fullstop/src/engines/sqlite/store-thread.ts');
  const outfile = join(outdir, 'worker.js');
  const contents = `
    import { ${work.name} } from './workflow-body.js';
    const [file = '', log = '', delay] = process.argv.slice(2);
    ${work.name}({ file, log, delay: delay === undefined ? undefined : Number(delay) });
  `;
  const shared = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql'] as string[],
    logLevel: 'error',
  } as const;
  // What is bundled as CommonJS asks for Node's own modules in a way that only a CommonJS module can.
  const banner = {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  };
  await build({ ...shared, banner, stdin: { contents, resolveDir: join(root, 'tests', 'chaos') }, outfile });
  await build({ ...shared, entryPoints: [store], outfile: join(outdir, 'store-thread.js') });
  return outfile;
}
