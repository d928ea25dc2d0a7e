import { setTimeout as sleep } from 'node:timers/promises';
import type { RunFilter, RunSummary } from '../../packages/fullstop/src/engines/port/engine.js';
import type { StoreEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import type { JsonObject } from '../../packages/fullstop/src/termination/json.js';
import type { ChaosInput } from './bodies.js';
import type { EffectLog } from './effect-log.js';
import { StallWatch } from './stall-watch.js';

interface Started {
  readonly runId: string;
  readonly name: string;
  readonly input: ChaosInput;
}

/** Whoever has ended for good needs nothing: with thousands of those, listing them too would be most of the work of the machine. */
const needs: readonly RunFilter[] = [
  { state: 'ready' },
  { state: 'running' },
  { state: 'parked' },
  { category: 'paused' },
  { kind: 'failed' },
];

/** The one process that is not killed: starts runs, answers what they ask, and cancels some. */
export class Operator {
  readonly #engine: StoreEngine;
  readonly #log: EffectLog;
  readonly #random: () => number;
  readonly #runs: Started[] = [];
  /** Runs whose questions somebody else answers. */
  readonly #left = new Set<string>();
  readonly watch = new StallWatch(async () => `these runs to end: ${JSON.stringify(await this.#stuck())}`);
  /** The version of the definitions that new runs are started with. */
  version = '1';
  unfinished = 0;
  cancelled = 0;
  crashLoops = 0;
  /** True where the server is killed too: its workers may give up on it before it is back. */
  isServerKilled = false;
  outages = 0;

  constructor(engine: StoreEngine, log: EffectLog, random: () => number) {
    this.#engine = engine;
    this.#log = log;
    this.#random = random;
  }

  get started(): number {
    return this.#runs.length;
  }

  async start(name: string, input: ChaosInput): Promise<string> {
    const runId = `${name}-${this.#runs.length}`;
    this.#runs.push({ runId, name, input });
    this.unfinished += 1;
    await this.#engine.start({ runId, name, version: this.version, input: input as unknown as JsonObject });
    return runId;
  }

  /** A run with one question, which is left to whoever started it. */
  async startLeft(input: ChaosInput): Promise<string> {
    // Its name and number before it is there: it may ask before its start is acknowledged.
    this.#left.add(`waits-${this.#runs.length}`);
    return this.start('waits', { ...input, size: 1 });
  }

  async answerLeft(runId: string): Promise<void> {
    this.#left.delete(runId);
    await this.#answer(runId);
  }

  /** How many runs of a version have not ended for good. */
  async openOf(version: string): Promise<number> {
    const runs = (await this.#list()).filter((run) => run.version === version);
    return runs.filter((run) => run.state !== 'ended').length;
  }

  /** A few runs whose results a worker asks for as a caller: starts of the same id and input are one. */
  someToJoin(): readonly string[] {
    return this.#runs.slice(-3).map((run) => JSON.stringify(run));
  }

  async allRuns(): Promise<readonly string[]> {
    return (await this.#list()).map(({ runId }) => runId);
  }

  async allVersions(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.#list()).map(({ runId, version }) => [runId, version]));
  }

  async #list(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    const all: RunSummary[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#engine.list({ ...filter, limit: 1000, ...(cursor !== undefined && { cursor }) });
      all.push(...page.runs);
      cursor = page.next;
    } while (cursor !== undefined);
    return all;
  }

  /** The runs that need something. One that changes while they are listed may be missing from every list, so where none is found all are asked. */
  async #needy(): Promise<readonly RunSummary[]> {
    const found = new Map<string, RunSummary>();
    for (const filter of needs) for (const run of await this.#list(filter)) found.set(run.runId, run);
    if (found.size > 0) return [...found.values()];
    return (await this.#list()).filter((run) => run.state !== 'ended' || run.kind === 'failed');
  }

  /** Looks once at all runs that need something, and does it. */
  async attend(): Promise<void> {
    const runs = await this.#needy();
    this.unfinished = runs.length;
    for (const run of runs) {
      if (run.category === 'paused' && !this.#left.has(run.runId)) await this.#answer(run.runId);
      else if (run.kind === 'failed') await this.#resume(run);
      if (run.state !== 'ended' && run.name === 'undoing' && this.#random() < 0.02) await this.#cancel(run.runId);
    }
  }

  async #answer(runId: string): Promise<void> {
    for (const { id, type } of await this.#engine.openRequests(runId)) {
      const by = `operator ${Math.floor(this.#random() * 1e6)}`;
      const value = type === 'confirm_outcome' ? { value: { place: 'confirmed', id: 'confirmed' } } : {};
      const receipt = await this.#engine.answer(runId, id, { decision: 'approve', by, ...value });
      if (receipt.status === 'delivered') this.#log.write({ type: 'answered', runId, requestId: id, by });
    }
  }

  async #cancel(runId: string): Promise<void> {
    this.#log.write({ type: 'cancelling', runId });
    if ((await this.#engine.cancel(runId, { by: 'operator' })) === 'requested') this.cancelled += 1;
  }

  /**
   * The only failures that chaos may cause are those of runs whose owners all died, or fell silent on a busy machine, or whose server was away for
   * longer than anyone waits; they continue.
   */
  async #resume({ runId, segment }: RunSummary): Promise<void> {
    const ending = await this.#engine.ending(runId);
    if (ending?.termination.kind !== 'failed') return;
    const { code, message } = ending.termination.error;
    if (code === 'CRASH_LOOP' || code === 'OWNER_UNRESPONSIVE') this.crashLoops += 1;
    else if (code === 'STORE_IO' && this.isServerKilled) this.outages += 1;
    else throw new Error(`The run ${runId} failed: ${message}`);
    await this.#engine.reopen({ runId, after: segment, because: 'resume', by: 'operator' });
  }

  /** Attends to the runs until all have ended. */
  async settle(): Promise<void> {
    for (;;) {
      await this.attend();
      if (this.unfinished === 0) return;
      await this.watch.note({ unfinished: this.unfinished });
      await sleep(50);
    }
  }

  async #stuck(): Promise<readonly object[]> {
    const stuck = (await this.#list()).filter((run) => run.state !== 'ended').slice(0, 5);
    return Promise.all(stuck.map(async (run) => ({ ...run, last: (await this.#engine.journal(run.runId)).slice(-3) })));
  }
}
