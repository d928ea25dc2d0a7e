import { parentPort, workerData } from 'node:worker_threads';
import { packAnswer } from './answer-message.js';
import { type BatchMessage, unpackBatch } from './batch-message.js';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver/driver.js';
import type { ThreadData } from './thread-store.js';

// The other end of `threadStore`: carries out batches as they come.

const { file, driver, busyTimeoutMs, readOnly, givenTime } = workerData as ThreadData;
const core = new StoreCore({ driver: findDriver(driver), file, busyTimeoutMs, readOnly, givenTime });

parentPort?.on('message', (message: BatchMessage | 'close') => {
  if (message !== 'close') {
    const batch = unpackBatch(message);
    parentPort?.postMessage(packAnswer(batch, core.execute(batch)));
    return;
  }
  core.close();
  parentPort?.postMessage(packAnswer([], []));
});
