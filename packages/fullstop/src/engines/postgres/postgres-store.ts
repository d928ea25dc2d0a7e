import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { closedError } from '../store/commits.js';
import type { Operation, OperationName, Outcome, OutputOf, Store } from '../store/operations.js';
import type { PayloadCodec } from '../store/payload.js';
import type { Session } from './connection/session.js';
import { type PoolLike, Sql, type Statements } from './connection/sql.js';
import {
  isCollision,
  isDisconnected,
  isDuplicate,
  isReadOnly,
  storeFailureOf,
  toStoreError,
} from './connection/store-error.js';
import { inTransaction } from './connection/transaction.js';
import type { TakenRun, TakenRuns } from './core/claims.js';
import { type Context, LockedRuns } from './core/context.js';
import { handOver } from './core/hand-over.js';
import { announced, reads, writes } from './core/handlers.js';
import { appendAlone, planAppends } from './core/journal/append-alone.js';
import { Heads } from './core/journal/heads.js';
import { JournalReader } from './core/journal/journal-reader.js';
import { JournalWriter } from './core/journal/journal-writer.js';
import { recallWritten } from './core/journal/recall.js';
import { lockRuns } from './core/lock-runs.js';
import { setReady } from './core/owners.js';
import { migrate } from './migrations/migrate.js';

export interface PostgresStoreOptions {
  /** The server and the database, for messages. */
  readonly place: string;
  openPool(): Promise<PoolLike>;
  readonly statements: Statements;
  readonly schema: string;
  readonly channel: string;
  readonly codec: PayloadCodec;
  readonly ownerId: string;
  /** Undefined where the server gives no sessions. */
  readonly session: Session | undefined;
  /** How long a server that does not answer is asked again. */
  readonly patienceMs: number;
  /** Statements that set the limits of a transaction after its beginning; empty where the session has them. */
  readonly limits: string;
}

const retryMs = 100;
const mostCollisions = 20;

type Handler = (context: Context, input: unknown, lock: number | null) => Promise<unknown>;

/** Carries out operations on Postgres: those of one batch in one transaction. */
export class PostgresStore implements Store {
  readonly inThread = true;
  readonly place: string;
  readonly #options: PostgresStoreOptions;
  readonly #heads = new Heads();
  #pool: Promise<PoolLike> | undefined;
  #hasAnswered = false;
  #hasWritten = false;
  #looks = 0;
  /** The outcomes of operations that were committed: the connection may break before everything of their batch is answered. */
  readonly #settled = new WeakMap<Operation, Outcome>();
  /** The rest of operations whose first entries are already in the journal. */
  readonly #left = new WeakMap<Operation, Operation>();
  /** True when claims may have been committed that nobody here knows of. */
  #isUnsure = false;
  #isClosed = false;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.place = options.place;
  }

  /** The pool, once the schema is there. */
  #ready(): Promise<PoolLike> {
    this.#pool ??= this.#open().catch((error: unknown) => {
      this.#pool = undefined;
      throw error;
    });
    return this.#pool;
  }

  async #open(): Promise<PoolLike> {
    const { openPool, statements, schema } = this.#options;
    const pool = await openPool();
    try {
      await inTransaction({ pool, statements, begin: `BEGIN${this.#options.limits}` }, (sql) => migrate(sql, schema));
      this.#hasAnswered = true;
      return pool;
    } catch (error) {
      await pool.end().catch(() => undefined);
      throw error;
    }
  }

  async execute(batch: readonly Operation[]): Promise<readonly Outcome[]> {
    const isWriting = batch.map(({ name }) => Object.hasOwn(writes, name));
    const writing = batch.filter((_, index) => isWriting[index]);
    const written = writing.length === 0 ? [] : await this.#write(writing);
    let next = 0;
    // Reads go after the writes of their batch, so that they see them.
    return Promise.all(
      batch.map((operation, index) => {
        if (!isWriting[index]) return this.#attempt(() => this.#patiently(() => this.#read(operation)));
        next += 1;
        return written[next - 1] as Outcome;
      }),
    );
  }

  /** Asks again while the server does not answer: whoever waits for something in a run need not hear of it. */
  async #patiently<T>(question: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#options.patienceMs;
    for (;;) {
      try {
        return await question();
      } catch (error) {
        if (!this.#mayReturn(error, end)) throw error;
        await delay(retryMs);
      }
    }
  }

  async #read({ name, input }: Operation): Promise<unknown> {
    if (name === 'dataVersion') return this.#look();
    const handler = (reads as Readonly<Partial<Record<OperationName, unknown>>>)[name] as Handler | undefined;
    if (handler === undefined) throw new FullstopError('INVALID_OPTION', `The engine on Postgres has no ${name}.`);
    const pool = await this.#ready();
    if (name !== 'verify' && name !== 'verified') return handler(this.#context(this.#sql(pool)), input, null);
    // What is compared must be of one instant.
    const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${this.#options.limits}`;
    const { statements } = this.#options;
    return inTransaction({ pool, statements, begin }, (sql) => handler(this.#context(sql), input, null));
  }

  /**
   * Asks the database of the store something of its own, in one transaction, and again while the server does not answer: for work that does no
   * harm when it is committed twice.
   */
  async ask<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#own(() => this.#patiently(() => this.#question(work)));
  }

  /** The same without patience, for those who ask again themselves. */
  async askOnce<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#own(() => this.#question(work));
  }

  async #question<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError();
    const pool = await this.#ready();
    const { statements, limits } = this.#options;
    return inTransaction({ pool, statements, begin: `BEGIN${limits}` }, work);
  }

  async #own<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw toStoreError(error, this.#options.place);
    }
  }

  /** Every look may find something: what is announced only makes it earlier. */
  async #look(): Promise<string> {
    await this.#options.session?.ensure()?.catch(() => undefined);
    this.#looks += 1;
    return String(this.#looks);
  }

  /** Tries again while the server does not answer: what was under way may have been committed, which its journal shows. */
  async #write(batch: readonly Operation[]): Promise<readonly Outcome[]> {
    const end = performance.now() + this.#options.patienceMs;
    const outcomes: (Outcome | undefined)[] = batch.map(() => undefined);
    for (let isAgain = false; ; isAgain = true) {
      const open = batch.flatMap((operation, index) => (outcomes[index] === undefined ? [{ operation, index }] : []));
      try {
        if (isAgain) await this.#recallAll(open, outcomes);
        const left = open.filter(({ index }) => outcomes[index] === undefined);
        const done = await this.#together(left.map(({ operation }) => operation));
        for (const [place, { index }] of left.entries()) outcomes[index] = done[place];
        return outcomes as readonly Outcome[];
      } catch (error) {
        for (const { operation, index } of open) outcomes[index] ??= this.#settled.get(operation);
        this.#isUnsure ||= this.#isAway(error);
        if (!this.#mayReturn(error, end)) {
          const failed: Outcome = { ok: false, failure: storeFailureOf(error, this.#options.place) };
          return outcomes.map((outcome) => outcome ?? failed);
        }
        await delay(retryMs);
      }
    }
  }

  /** Whether the server is worth another try. One that never answered is more likely misspelt than away. */
  #mayReturn(error: unknown, end: number): boolean {
    return this.#isAway(error) && this.#hasAnswered && performance.now() < end;
  }

  /** A server that has written and now only reads is the standby of one that is gone: it is about to be promoted, or the way leads elsewhere soon. */
  #isAway(error: unknown): boolean {
    return isDisconnected(error) || (this.#hasWritten && isReadOnly(error));
  }

  /** Each answer counts at once: the connection may break again before the next one. */
  async #recallAll(
    open: readonly { readonly operation: Operation; readonly index: number }[],
    outcomes: (Outcome | undefined)[],
  ): Promise<void> {
    for (const { operation, index } of open) outcomes[index] ??= await this.#recall(operation);
  }

  /** The journal is asked only about what nobody here knows to be committed: heads of what is known have moved on. */
  async #recall(operation: Operation): Promise<Outcome | undefined> {
    const known = this.#settled.get(operation);
    if (known !== undefined) return known;
    const { codec } = this.#options;
    const sql = this.#sql(await this.#ready());
    const recalled = await recallWritten(sql, this.#leftOf(operation), { heads: this.#heads, codec });
    if ('left' in recalled) {
      this.#left.set(operation, recalled.left);
      return undefined;
    }
    // A run that is replayed from what is there has to be released first.
    this.#isUnsure ||= recalled.value === 'fenced';
    return this.#settle(operation, recalled.value);
  }

  #leftOf(operation: Operation): Operation {
    return this.#left.get(operation) ?? operation;
  }

  #settle(operation: Operation, value: unknown): Outcome {
    const outcome: Outcome = { ok: true, value };
    this.#settled.set(operation, outcome);
    return outcome;
  }

  /** One transaction for all. If it fails, each gets one of its own, so that only the one at fault is refused. */
  async #together(batch: readonly Operation[]): Promise<readonly Outcome[]> {
    if (batch.length === 0) return [];
    try {
      return await this.#transact(batch);
    } catch (error) {
      if (this.#isAway(error)) throw error;
      if (batch.length > 1) {
        const outcomes: Outcome[] = [];
        for (const operation of batch) outcomes.push(...(await this.#together([operation])));
        return outcomes;
      }
      const [only] = batch;
      return [await this.#alone(only as Operation, error)];
    }
  }

  /** Of two that did the same at once one is refused by the server; the second time it sees what the other did. */
  async #alone(operation: Operation, first: unknown): Promise<Outcome> {
    let error = first;
    for (let tries = 0; tries < mostCollisions && isCollision(error); tries += 1) {
      try {
        // What the server committed only after its connection broke collides with what is written again.
        const recalled = isDuplicate(error) ? await this.#recall(operation) : undefined;
        return recalled ?? ((await this.#transact([operation]))[0] as Outcome);
      } catch (again) {
        if (this.#isAway(again)) throw again;
        error = again;
      }
    }
    return { ok: false, failure: storeFailureOf(error, this.#options.place) };
  }

  async #transact(batch: readonly Operation[]): Promise<readonly Outcome[]> {
    const { codec, statements, session } = this.#options;
    const left = batch.map((operation) => this.#leftOf(operation));
    const plans = this.#isUnsure ? undefined : planAppends(left, this.#heads, codec);
    const pool = await this.#ready();
    if (plans !== undefined) {
      const { ownerId } = this.#options;
      const written = await appendAlone(new Sql(pool, statements), plans, { heads: this.#heads, ownerId });
      this.#hasWritten = true;
      // Whoever lost entries with a server still has the run there: it has to be released.
      this.#isUnsure ||= written.includes('fenced');
      return batch.map((operation, index) => this.#settle(operation, written[index]));
    }
    if (batch.some(({ name }) => name === 'claim' || name === 'claimNext' || name === 'heartbeat'))
      await session?.ensure();
    let context: Context | undefined;
    const works = await inTransaction({ pool, statements, begin: `BEGIN${this.#options.limits}` }, async (sql) => {
      context = this.#context(sql);
      if (this.#isUnsure) await this.#releaseUnknown(context);
      return this.#carryOut(context, left);
    });
    context?.writer.committed();
    this.#hasWritten = true;
    this.#isUnsure = works.includes('fenced');
    const isClaim = ({ name }: Operation): boolean => name === 'claim' || name === 'claimNext';
    for (const [index, operation] of batch.entries()) if (!isClaim(operation)) this.#settle(operation, works[index]);
    for (const [index, operation] of batch.entries())
      if (isClaim(operation)) this.#settle(operation, await this.#finished(pool, operation.name, works[index]));
    return batch.map((operation) => this.#settled.get(operation) as Outcome);
  }

  async #carryOut(context: Context, batch: readonly Operation[]): Promise<readonly unknown[]> {
    await lockRuns(context, batch);
    const works: unknown[] = [];
    const lock = this.#options.session?.lock ?? null;
    for (const { name, input } of batch)
      works.push(await ((writes as Readonly<Record<string, unknown>>)[name] as Handler)(context, input, lock));
    await context.writer.write();
    if (batch.some(({ name }) => announced.has(name)))
      context.sql.later('SELECT pg_notify($1, $2)', [this.#options.channel, this.#options.ownerId]);
    return works;
  }

  /** Claims that were committed while the connection broke: nobody executes those runs, and nobody would take them from a living owner. */
  async #releaseUnknown({ sql }: Context): Promise<void> {
    const { runs, epochs } = this.#heads.claims;
    await sql.run(
      `UPDATE @runs AS runs SET ${setReady} WHERE owner = $1 AND state = 'running'
         AND NOT EXISTS (SELECT 1 FROM unnest($2::bigint[], $3::bigint[]) AS had(run, epoch) WHERE had.run = runs.id AND had.epoch = runs.epoch)`,
      [this.#options.ownerId, runs, epochs],
    );
  }

  /** A claim is durable now; what its owner needs is read. */
  async #finished(pool: PoolLike, name: OperationName, work: unknown): Promise<unknown> {
    const taken: readonly TakenRun[] = name === 'claim' ? ownOf(work) : (work as TakenRuns).taken;
    const context = this.#context(this.#sql(pool));
    try {
      const read = await handOver(context, this.#heads, taken);
      if (name === 'claim') return read[0];
      const { damaged, nextWakeAt } = work as TakenRuns;
      return {
        claimed: read.filter((each) => !('reason' in each)),
        damaged: [...damaged, ...read.filter((each) => 'reason' in each)],
        nextWakeAt,
      } as OutputOf<'claimNext'>;
    } catch (error) {
      // Whoever claimed a run and does not get it must not keep it from others.
      this.#isUnsure = true;
      throw error;
    }
  }

  #sql(pool: PoolLike): Sql {
    return new Sql(pool, this.#options.statements);
  }

  #context(sql: Sql): Context {
    const { codec, schema, ownerId } = this.#options;
    return {
      sql,
      codec,
      ownerId,
      writer: new JournalWriter(sql, { codec, heads: this.#heads, schema }),
      reader: new JournalReader(sql, codec),
      locked: new LockedRuns(),
      newIds: [],
    };
  }

  async #attempt(work: () => Promise<unknown>): Promise<Outcome> {
    try {
      return { ok: true, value: await work() };
    } catch (error) {
      return { ok: false, failure: storeFailureOf(error, this.#options.place) };
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.session?.close();
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.end().catch(() => undefined);
  }
}

function ownOf(work: unknown): readonly TakenRun[] {
  return work === undefined ? [] : [work as TakenRun];
}
