import { movedAway } from '../../store/moving/moved-away.js';
import type { InputOf, Operation, OperationName, Outcome, OutputOf, Store } from '../../store/operations.js';
import { type PayloadCodec, plainText } from '../../store/payload.js';
import type { StoreFailure } from '../../store/store-failure.js';
import { storeFailureOf } from '../store-error.js';
import { changes } from './changes.js';
import { claim, claimNext, deadOwners, heartbeat, release, retire, sweep } from './claims.js';
import { Connection, type ConnectionOptions } from './connection.js';
import type { Context } from './context.js';
import { Epochs } from './epochs.js';
import { HandOver } from './hand-over.js';
import { JournalReader } from './journal/journal-reader.js';
import { JournalWriter } from './journal/journal-writer.js';
import { answer, cancel, expire, messages, reopen } from './messages.js';
import { belongings, bury, erasures, movedTo, runIds, seal, unseal } from './moving.js';
import { dueNotices, leaseNotices, settleNotice } from './notices.js';
import { OwnerSightings } from './owner-sightings.js';
import { journal, status } from './reads.js';
import { openRequests } from './requests.js';
import { backup, erase, prune, scrub } from './retention.js';
import { append, conclude, park } from './segments.js';
import { importRun, start } from './start.js';
import { list, summary } from './summaries.js';
import { tally } from './tally.js';
import { check, verified, verify } from './verify-run.js';

/** One for all: the thread hands over one object many times for next to nothing. */
const written: Outcome = { ok: true, value: 'written' };

type Handlers = { readonly [TName in OperationName]: (context: Context, input: InputOf<TName>) => WorkOf<TName> };

/** The result of an operation; a claim is finished after its transaction. */
type WorkOf<TName extends OperationName> = TName extends 'claim'
  ? ReturnType<typeof claim>
  : TName extends 'claimNext'
    ? ReturnType<typeof claimNext>
    : OutputOf<TName>;

/** Operations that change the file; those of one batch share a transaction. */
const writes: Pick<Handlers, WriteName> = {
  answer,
  append,
  bury,
  cancel,
  claim,
  claimNext,
  conclude,
  erase,
  expire,
  heartbeat,
  importRun,
  leaseNotices,
  park,
  prune,
  release,
  reopen,
  retire,
  seal,
  settleNotice,
  start,
  sweep,
  unseal,
};

const reads: Omit<Handlers, WriteName> = {
  backup,
  belongings,
  changes,
  check,
  dataVersion: ({ connection }) => {
    connection.checkFile();
    return `${connection.id} ${connection.dataVersion}`;
  },
  deadOwners,
  dueNotices,
  erasures,
  journal,
  list,
  messages,
  movedTo,
  openRequests,
  runIds,
  status,
  summary,
  tally,
  verified,
  verify,
};

type WriteName =
  | 'answer'
  | 'append'
  | 'bury'
  | 'cancel'
  | 'claim'
  | 'claimNext'
  | 'conclude'
  | 'erase'
  | 'expire'
  | 'heartbeat'
  | 'importRun'
  | 'leaseNotices'
  | 'park'
  | 'prune'
  | 'release'
  | 'reopen'
  | 'retire'
  | 'seal'
  | 'settleNotice'
  | 'start'
  | 'sweep'
  | 'unseal';

export interface StoreCoreOptions extends ConnectionOptions {
  readonly codec?: PayloadCodec;
  /** The steady time is not the machine's but what the questions say, as with clocks of tests. */
  readonly givenTime?: boolean;
}

/** Carries out operations on the file, one batch after the other. */
export class StoreCore implements Store {
  readonly #context: Context;
  readonly #handOver: HandOver;

  constructor(options: StoreCoreOptions) {
    const codec = options.codec ?? plainText;
    const connection = new Connection(options);
    this.#context = {
      connection,
      codec,
      writer: new JournalWriter(connection, codec),
      reader: new JournalReader(connection, codec),
      epochs: new Epochs(connection),
      sightings: new OwnerSightings(options),
    };
    this.#handOver = new HandOver(this.#context);
  }

  execute(batch: readonly Operation[]): readonly Outcome[] {
    const writing = batch.filter((operation) => Object.hasOwn(writes, operation.name));
    if (writing.length === 0) return batch.map((operation) => this.#attempt(() => call(this.#context, operation)));
    const [only] = batch;
    if (batch.length === 1 && only?.name === 'append' && this.#isSingleRow(only.input))
      return [this.#appendAlone(only.input)];
    if (batch.length > writing.length) return this.#mixed(batch, new Set(writing));
    return this.#together(batch);
  }

  /** Reads go after the writes of their batch, so that they see them. */
  #mixed(batch: readonly Operation[], writing: ReadonlySet<Operation>): readonly Outcome[] {
    const outcomes = this.execute([...writing]);
    let next = 0;
    return batch.map((operation) => {
      if (!writing.has(operation)) return this.#attempt(() => call(this.#context, operation));
      const outcome = outcomes[next] as Outcome;
      next += 1;
      return outcome;
    });
  }

  /** One transaction for all. If it fails, each gets one of its own, so that only the one at fault is refused. */
  #together(batch: readonly Operation[]): readonly Outcome[] {
    let begun = false;
    try {
      const values = this.#transaction(() => {
        begun = true;
        return batch.map((operation) => call(this.#context, operation));
      });
      const isClean = !batch.some(({ name }) => name === 'erase' || name === 'prune') || scrub(this.#context);
      return values.map((value, index) => {
        if (value === 'written') return written;
        return this.#finished(batch[index]?.name, value === 'erased' && !isClean ? 'lingering' : value);
      });
    } catch (error) {
      const failed: Outcome = { ok: false, failure: this.#failureOf(error) };
      // Without a lock there is no use in waiting for it once more for each of them.
      if (batch.length === 1 || !begun) return batch.map(() => failed);
      return batch.map((operation) => this.#together([operation])[0] as Outcome);
    }
  }

  /** A claim is durable now; what its owner needs is read. */
  #finished(name: OperationName | undefined, value: unknown): Outcome {
    if (name !== 'claim' && name !== 'claimNext') return { ok: true, value };
    return this.#attempt(() =>
      name === 'claim'
        ? this.#handOver.one(value as ReturnType<typeof claim>)
        : this.#handOver.several(value as ReturnType<typeof claimNext>),
    );
  }

  #transaction<T>(work: () => T): T {
    const { connection, writer, epochs } = this.#context;
    writer.recover();
    this.#handOver.settle();
    try {
      const result = connection.transaction(() => {
        epochs.begin();
        const value = work();
        writer.write();
        return value;
      });
      writer.committed();
      return result;
    } catch (error) {
      writer.rolledBack();
      epochs.clear();
      throw error;
    }
  }

  #isSingleRow({ rows }: InputOf<'append'>): boolean {
    const [row] = rows;
    return rows.length === 1 && row !== undefined && this.#context.writer.isPlain(row);
  }

  /** A statement is a transaction, and cheaper than one with a beginning and an end. */
  #appendAlone({ claim: held, rows, chained }: InputOf<'append'>): Outcome {
    const { writer } = this.#context;
    return this.#attempt(() => {
      const written = rows[0] !== undefined && writer.appendAlone(held, rows[0], chained);
      if (!written) writer.drop(held.run);
      return written ? 'written' : 'fenced';
    });
  }

  #attempt(work: () => unknown): Outcome {
    try {
      return { ok: true, value: work() };
    } catch (error) {
      return { ok: false, failure: this.#failureOf(error) };
    }
  }

  #failureOf(error: unknown): StoreFailure {
    const failure = storeFailureOf(error, this.#context.connection.file);
    return failure.code === 'STORE_MOVED' ? movedAway(movedTo(this.#context) ?? 'another store') : failure;
  }

  close(): void {
    this.#context.connection.close();
  }
}

function call(context: Context, operation: Operation): unknown {
  const handlers: Handlers = handlersOf;
  const handler = handlers[operation.name] as (context: Context, input: unknown) => unknown;
  return handler(context, operation.input);
}

const handlersOf: Handlers = { ...reads, ...writes };
