import { describe, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import type { StoreEngine } from '../../packages/fullstop/src/engines/store/engine-options.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, openDbos } from './dbos-engine.js';
import { type ReplicatedPair, startReplicatedPair } from './replicated-pair.js';
import { type StallingProxy, stallingProxy } from './stalling-proxy.js';
import { ask, isPostgresMissing } from './test-database.js';

const count = 20;
const steps = 12;
const schema = 'replicated';
/** Two thirds of it are longer than any promotion takes: nobody is given up. */
const longLease = 300_000;
/** Once it is over, workers look again at the workflows that DBOS believes to be running. */
const shortLease = 15_000;

/** Two servers, and the way to whichever of them is the primary. */
async function startServers(): Promise<{ readonly pair: ReplicatedPair; readonly way: StallingProxy }> {
  const pair = await startReplicatedPair();
  onTestFinished(() => pair.stop());
  const way = await stallingProxy(pair.primary.url);
  onTestFinished(() => way.close());
  return { pair, way };
}

/** The share of all effects at which a load waits, so that it is not over before its server is gone, however slow this machine is. */
const pauseAt = 0.8;

/** Runs of some steps each that count what they do. */
class Load {
  readonly done = new Map<string, number>();
  effects = 0;
  readonly ids: readonly string[] = Array.from({ length: count }, (_, index) => `run-${index}`);
  readonly definition = defineRun({
    name: 'work',
    run: async (context) => {
      for (let step = 0; step < steps; step += 1)
        await context.step(`s${step}`, async () => {
          if (this.effects >= count * steps * pauseAt) await this.#released;
          const key = `${context.runId} ${step}`;
          this.done.set(key, (this.done.get(key) ?? 0) + 1);
          this.effects += 1;
          if (this.effects >= (this.#waiting?.at ?? Number.POSITIVE_INFINITY)) this.#waiting?.reached();
          return step;
        });
      return terminations.naturalEnd();
    },
  });
  #waiting: { readonly at: number; readonly reached: () => void } | undefined;
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  async start(engine: Engine): Promise<void> {
    await Promise.all(this.ids.map((runId) => engine.start({ runId, name: 'work', version: '1' })));
    const worker = engine.worker([this.definition], { concurrency: 5 });
    onTestFinished(() => worker.stop(0));
  }

  /** Lets it come to its end. */
  release(): void {
    this.#release();
  }

  /** Settles when this part of all effects has happened. */
  until(share: number): Promise<void> {
    return this.#untilEffects(Math.floor(count * steps * share));
  }

  /** Settles when so many more effects have happened. */
  untilMore(effects: number): Promise<void> {
    return this.#untilEffects(this.effects + effects);
  }

  #untilEffects(at: number): Promise<void> {
    return new Promise((reached) => {
      if (this.effects >= at) reached();
      this.#waiting = { at, reached };
    });
  }

  /** Every run has one ending, one entry for each step, and a chain that proves it. */
  async expectWhole(engine: StoreEngine): Promise<void> {
    for (const runId of this.ids) {
      const { headHash, termination } = await engine.waitForEnding(runId, 1);
      expect(termination).toEqual({ kind: 'natural_end' });
      expect(await engine.verify(runId, headHash)).toMatchObject({ status: 'proved' });
      const journal = await engine.journal(runId, { types: ['step_ended', 'segment_ended'] });
      expect(journal.map(({ key }) => key)).toEqual([
        ...Array.from({ length: steps }, (_, step) => `s${step}`),
        undefined,
      ]);
    }
  }

  get again(): number {
    return [...this.done.values()].filter((times) => times > 1).length;
  }
}

const engines = {
  postgres: (url: string, leaseMs: number): StoreEngine => {
    const engine = postgresEngine({ url, schema, leaseMs, pollMs: 200 });
    onTestFinished(() => engine.close());
    return engine;
  },
  dbos: (url: string, leaseMs: number): StoreEngine => openDbos({ url, schema, leaseMs }),
} as const;

const isSkipped = isPostgresMissing || process.env['PG_URL'] !== undefined;

describe.skipIf(isSkipped).each(['postgres', 'dbos'] as const)('the primary of a worker on %s', (name) => {
  /** Of a dispatch whose end was lost DBOS learns that it was cancelled. */
  const expectNothingRunning = async (url: string): Promise<void> => {
    if (name === 'postgres') return;
    const open = ['DELAYED', 'ENQUEUED', 'PENDING'];
    await expect
      .poll(async () => (await dispatchesOf(url, schema)).filter(({ status }) => open.includes(status)))
      .toEqual([]);
  };

  test('is killed under load and its standby promoted: every run ends, and no step is done again', async () => {
    const { pair, way } = await startServers();
    const engine = engines[name](way.url, longLease);
    const load = new Load();
    await load.start(engine);
    await load.until(0.5);
    await pair.primary.kill();
    load.release();
    await pair.promote();
    way.leadTo(pair.standby.url);
    await load.expectWhole(engine);
    console.log(`${name}: ${count} runs of ${steps} steps, ${load.effects} effects, ${load.again} done again`);
    expect(load.again).toBe(0);
    await expectNothingRunning(pair.standby.url);
  });

  test('is killed and its standby reached before it is promoted: what it refuses until then is written after that', async () => {
    const { pair, way } = await startServers();
    const engine = engines[name](way.url, longLease);
    const load = new Load();
    await load.start(engine);
    await load.until(0.5);
    // The code of whatever a server refuses that only reads.
    const refused = way.said('C25006');
    await pair.primary.kill();
    load.release();
    way.leadTo(pair.standby.url);
    await refused;

    await pair.promote();
    await load.expectWhole(engine);
    expect(load.again).toBe(0);
    await expectNothingRunning(pair.standby.url);
  });

  test('takes journalled steps with it that its standby did not have: they are done again, and every run has one ending all the same', async () => {
    const { pair, way } = await startServers();
    const engine = engines[name](way.url, shortLease);
    const load = new Load();
    await load.start(engine);
    await load.until(0.3);
    await pair.detach();
    const more = load.untilMore(15);
    load.release();
    await more;
    await pair.primary.kill();
    await pair.promote();
    way.leadTo(pair.standby.url);
    await load.expectWhole(engine);
    console.log(`${name}: ${load.effects} effects, ${load.again} done again`);
    expect(load.again).toBeGreaterThan(0);
    const [counted] = await ask(pair.standby.url, `SELECT count(*)::int AS endings FROM ${schema}.endings`);
    expect(counted).toEqual({ endings: count });
    await expectNothingRunning(pair.standby.url);
  });
});
