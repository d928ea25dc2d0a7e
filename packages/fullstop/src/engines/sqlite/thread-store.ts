import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Outcome, Store } from '../store/operations.js';
import { type AnswerMessage, unpackAnswer } from './answer-message.js';
import { type BatchMessage, packBatch } from './batch-message.js';
import type { DriverName } from './driver/driver.js';

/** The data with which the thread opens the file. */
export interface ThreadData {
  readonly file: string;
  readonly driver: DriverName;
  readonly busyTimeoutMs: number;
  readonly readOnly: boolean;
  readonly givenTime: boolean;
}

interface Answering {
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: unknown): void;
}

/** A batch leaves only garbage, which needs little room; the default lets that grow to 30 MB that nobody uses. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 };

const program = new URL('./store-thread.js', import.meta.url);

/** True where the program of the thread can be found: not in the sources, and not where a bundler left it out. */
export function hasThreadProgram(): boolean {
  return existsSync(program);
}

/** A store that moves to a thread of its own on request; until then it works in the event loop. */
export function movableStore(core: Store, data: ThreadData): Store & { moveToThread(): void } {
  let store = core;
  let wanted = false;
  return {
    get inThread() {
      return store.inThread === true;
    },
    execute: (batch) => {
      if (wanted && store === core) {
        void core.close();
        store = threadStore(data);
      }
      return store.execute(batch);
    },
    close: () => store.close(),
    moveToThread: () => {
      wanted = hasThreadProgram();
    },
  };
}

/** A store in a thread of its own: the disk holds up nobody here. Batches come back in the order in which they were sent. */
export function threadStore(data: ThreadData): Store {
  const thread = new Worker(program, { workerData: data, resourceLimits });
  const answering: Answering[] = [];
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    for (const { reject } of answering.splice(0)) reject(failure);
  };
  thread.on('message', (answer: AnswerMessage) => {
    const first = answering.shift();
    if (answering.length === 0) thread.unref();
    first?.resolve(unpackAnswer(answer));
  });
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('it has exited')));
  // Only a batch that is under way keeps the process alive.
  thread.unref();

  const send = (message: BatchMessage | 'close'): Promise<readonly Outcome[]> =>
    new Promise((resolve, reject) => {
      if (failure !== undefined) {
        reject(failure);
        return;
      }
      thread.postMessage(message);
      thread.ref();
      answering.push({ resolve, reject });
    });

  return {
    inThread: true,
    execute: (batch) => send(packBatch(batch)),
    close: async () => {
      // A thread that is gone has closed its file.
      await send('close').catch(() => undefined);
      await thread.terminate();
    },
  };
}
