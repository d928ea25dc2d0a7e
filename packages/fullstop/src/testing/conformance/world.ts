import type { Engine, RunSession } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { defineRun, type RunDefinition } from '../../run/define-run.js';
import type { BodyResult } from '../../run/run-context.js';
import type { DefineRunOptions } from '../../run/run-options.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { checkPresent } from '../check.js';
import { checkJournal } from '../check-journal.js';
import type { Fault } from '../fault-plan.js';
import { type FaultyEngine, faultyEngine } from '../faulty-engine.js';
import type { SimulatedClock } from '../simulated-clock.js';
import type { ConformanceCase, ConformanceHarness, ConformanceNeed } from './conformance-case.js';

type Definition<TInput> = RunDefinition<TInput, AnyTermination, unknown>;
type DefinitionOptions<TInput> = Omit<DefineRunOptions<TInput, BodyResult, []>, 'alwaysReplay'>;

/** One engine with everything that a case does to it. */
export class World {
  readonly clock: SimulatedClock;
  readonly harness: ConformanceHarness;
  engine: Engine;
  /** The effects of steps, in order. */
  readonly done: string[] = [];

  constructor(harness: ConformanceHarness, engine: Engine) {
    this.harness = harness;
    this.clock = harness.clock;
    this.engine = engine;
  }

  define<TInput = undefined>(options: DefinitionOptions<TInput>): Definition<TInput> {
    return defineRun({ ...options, alwaysReplay: this.harness.alwaysReplay }) as unknown as Definition<TInput>;
  }

  /** An effect that says so when it happens. */
  effect<T>(name: string, value: T): () => T {
    return () => {
      this.done.push(name);
      return value;
    };
  }

  times(name: string): number {
    return this.done.filter((each) => each === name).length;
  }

  /** Closes the engine and opens its store again, as a new process would. */
  async restart(): Promise<Engine> {
    await this.engine.close();
    this.engine = await this.harness.open();
    return this.engine;
  }

  /** The engine with faults in it. */
  faulty(...faults: readonly Fault[]): FaultyEngine {
    return faultyEngine(this.engine, faults);
  }

  journal(runId: string): Promise<readonly JournalEntry[]> {
    return this.engine.journal(runId);
  }

  async typesOf(runId: string): Promise<readonly string[]> {
    return (await this.journal(runId)).map((entry) => entry.type);
  }
}

/** Starts a run on an engine without executing it. */
export async function startOnly<TInput>(
  engine: Engine,
  definition: Definition<TInput>,
  runId: string,
  input?: TInput,
): Promise<void> {
  const { name, version } = definition;
  await engine.start({ runId, name, version, ...(input !== undefined && { input: input as never }) });
}

/** Claims a run and executes it until its owner is gone or nothing is left to do. */
export async function executeUntilLost(
  engine: FaultyEngine,
  definition: Definition<never>,
  runId: string,
): Promise<void> {
  const session = checkPresent(await engine.claim(runId, 'conformance'), `a claim of ${runId}`);
  await Promise.race([definition.execute(session, engine), engine.lost(runId)]);
}

/** Claims a run and executes it to the end of its segment. */
export async function executeNow(engine: Engine, definition: Definition<never>, runId: string): Promise<void> {
  const session: RunSession = checkPresent(await engine.claim(runId, 'conformance'), `a claim of ${runId}`);
  await definition.execute(session, engine);
}

/** Makes a case: opens a world, and at the end checks the journals of all its runs against the laws. */
export function conformanceCase(
  name: string,
  body: (world: World) => Promise<void>,
  needs: readonly ConformanceNeed[] = [],
): ConformanceCase {
  return {
    name,
    ...(needs.length > 0 && { needs }),
    run: async (harness) => {
      const world = new World(harness, await harness.open());
      try {
        await body(world);
        await checkAllJournals(world.engine);
      } finally {
        await world.engine.close();
      }
    },
  };
}

async function checkAllJournals(engine: Engine): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await engine.list({ limit: 1000, ...(cursor !== undefined && { cursor }) });
    for (const { runId } of page.runs) await checkJournal(engine, runId);
    cursor = page.next;
  } while (cursor !== undefined);
}
