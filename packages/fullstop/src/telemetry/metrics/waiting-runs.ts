import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import type { Engine } from '../../engines/port/engine.js';
import { otherName } from './series.js';

/** So few that reading them does not hold up runs. */
const perPage = 200;

/** The runs of one name that wait for a person. */
interface Waiting {
  count: number;
  /** When the one that waits longest began to. */
  since: number;
  /** The time of its engine. */
  now: number;
}

const nobody: Waiting = { count: 0, since: 0, now: 0 };

/**
 * Tells how many runs wait for a person, and for how long. This is a state and not an event: who asked may be long gone, and
 * who will answer may be elsewhere. So it is read from the store whenever someone collects, and not counted.
 */
export class WaitingRuns {
  readonly #most: number;
  /** Held weakly: to be measured must not keep an engine alive. */
  readonly #engines = new Set<WeakRef<Engine>>();
  readonly #known = new WeakSet<Engine>();
  readonly #gone = new FinalizationRegistry<WeakRef<Engine>>((engine) => this.#engines.delete(engine));
  /** The names that were reported before; never more than so many, and `other`. */
  readonly #reported = new Set<string>();

  constructor(meter: Meter, most: number) {
    this.#most = most;
    const count = meter.createObservableGauge('fullstop.run.waiting', {
      unit: '{run}',
      description: 'Runs in the store that wait for a person',
    });
    const age = meter.createObservableGauge('fullstop.run.waiting.age', {
      unit: 's',
      description: 'How long the run that waits longest has waited',
    });
    const report = async (result: BatchObservableResult): Promise<void> => {
      const waiting = await this.#read();
      for (const name of waiting.keys()) this.#reported.add(name);
      // A series that is not reported any more would keep its last value for ever.
      for (const name of this.#reported) {
        const { count: runs, since, now } = waiting.get(name) ?? nobody;
        result.observe(count, runs, { name });
        result.observe(age, Math.max(0, now - since) / 1000, { name });
      }
    };
    meter.addBatchObservableCallback(report, [count, age]);
  }

  add(engine: Engine): void {
    if (this.#known.has(engine)) return;
    this.#known.add(engine);
    const reference = new WeakRef(engine);
    this.#engines.add(reference);
    this.#gone.register(engine, reference);
  }

  async #read(): Promise<ReadonlyMap<string, Waiting>> {
    const waiting = new Map<string, Waiting>();
    for (const known of this.#engines) {
      const engine = known.deref();
      if (engine === undefined) continue;
      try {
        await this.#readFrom(engine, waiting);
      } catch {
        // A store that does not answer says nothing; others still do.
      }
    }
    return waiting;
  }

  async #readFrom(engine: Engine, waiting: Map<string, Waiting>): Promise<void> {
    const now = engine.clock.now();
    for (let cursor: string | undefined; ; ) {
      const filter = { category: 'paused', limit: perPage } as const;
      const page = await engine.list(cursor === undefined ? filter : { ...filter, cursor });
      for (const { name, updatedAt } of page.runs) this.#count(waiting, name, { count: 1, since: updatedAt, now });
      cursor = page.next;
      if (cursor === undefined) return;
    }
  }

  #count(waiting: Map<string, Waiting>, given: string, run: Waiting): void {
    const isNamed = waiting.has(given) || this.#reported.has(given) || this.#countNames(waiting) < this.#most;
    const name = isNamed ? given : otherName;
    const known = waiting.get(name);
    if (known === undefined) {
      waiting.set(name, run);
      return;
    }
    known.count += 1;
    if (run.now - run.since <= known.now - known.since) return;
    known.since = run.since;
    known.now = run.now;
  }

  /** How many names there are, reported before or found just now. */
  #countNames(waiting: ReadonlyMap<string, Waiting>): number {
    let count = this.#reported.size;
    for (const name of waiting.keys()) if (!this.#reported.has(name)) count += 1;
    return count;
  }
}
