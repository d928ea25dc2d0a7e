import { readStartRequest } from '../door/engine-door.js';
import { guardSession } from '../door/session-door.js';
import { type Clock, systemClock } from '../port/clock.js';
import type { Engine, RunSession, StartRequest } from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import type { Spending } from '../port/spending.js';
import { processSpending } from '../sharing/process-spending.js';
import { engineOf } from './memory-engine.js';
import { MemoryRuns } from './memory-runs.js';

/**
 * The engine of a run that was given none. Most such runs start, are claimed by this process and end, so only that is here; the memory engine
 * with its door, forty functions, is made when somebody asks for more.
 */
class PrivateEngine implements Engine {
  readonly name = 'memory';
  readonly durable = false;
  readonly clock: Clock;
  readonly #all: MemoryRuns;
  #engine: Engine | undefined;
  #spending: Spending | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#all = new MemoryRuns(clock);
  }

  get #whole(): Engine {
    this.#engine ??= engineOf(this.#all, { spending: this.spending });
    return this.#engine;
  }

  get spending(): Spending {
    this.#spending ??= processSpending();
    return this.#spending;
  }

  async start(request: StartRequest): Promise<'started' | 'exists'> {
    return this.#all.start(readStartRequest(request));
  }

  async claim(runId: string): Promise<RunSession | undefined> {
    const session = this.#all.runs.get(runId)?.claim();
    return session && guardSession(session);
  }

  async ending(runId: string): Promise<Envelope | undefined> {
    return this.#all.runs.get(runId)?.ending;
  }

  reopen(...given: Parameters<Engine['reopen']>): ReturnType<Engine['reopen']> {
    return this.#whole.reopen(...given);
  }

  answer(...given: Parameters<Engine['answer']>): ReturnType<Engine['answer']> {
    return this.#whole.answer(...given);
  }

  cancel(...given: Parameters<Engine['cancel']>): ReturnType<Engine['cancel']> {
    return this.#whole.cancel(...given);
  }

  openRequests(...given: Parameters<Engine['openRequests']>): ReturnType<Engine['openRequests']> {
    return this.#whole.openRequests(...given);
  }

  waitForEnding(...given: Parameters<Engine['waitForEnding']>): ReturnType<Engine['waitForEnding']> {
    return this.#whole.waitForEnding(...given);
  }

  waitUntilReady(...given: Parameters<Engine['waitUntilReady']>): ReturnType<Engine['waitUntilReady']> {
    return this.#whole.waitUntilReady(...given);
  }

  summary(...given: Parameters<Engine['summary']>): ReturnType<Engine['summary']> {
    return this.#whole.summary(...given);
  }

  list(...given: Parameters<Engine['list']>): ReturnType<Engine['list']> {
    return this.#whole.list(...given);
  }

  journal(...given: Parameters<Engine['journal']>): ReturnType<Engine['journal']> {
    return this.#whole.journal(...given);
  }

  dueNotices(...given: Parameters<Engine['dueNotices']>): ReturnType<Engine['dueNotices']> {
    return this.#whole.dueNotices(...given);
  }

  leaseNotices(...given: Parameters<Engine['leaseNotices']>): ReturnType<Engine['leaseNotices']> {
    return this.#whole.leaseNotices(...given);
  }

  settleNotice(...given: Parameters<Engine['settleNotice']>): ReturnType<Engine['settleNotice']> {
    return this.#whole.settleNotice(...given);
  }

  importRun(...given: Parameters<Engine['importRun']>): ReturnType<Engine['importRun']> {
    return this.#whole.importRun(...given);
  }

  worker(...given: Parameters<Engine['worker']>): ReturnType<Engine['worker']> {
    return this.#whole.worker(...given);
  }

  close(...given: Parameters<Engine['close']>): ReturnType<Engine['close']> {
    return this.#whole.close(...given);
  }
}

/** An engine in memory that nobody but one run knows. */
export function privateEngine(clock: Clock = systemClock): Engine {
  return new PrivateEngine(clock);
}
