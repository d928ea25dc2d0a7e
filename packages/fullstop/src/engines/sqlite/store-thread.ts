import { parentPort, workerData } from 'node:worker_threads';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver.js';
import type { Operation } from './operations.js';
import type { ThreadData } from './thread-store.js';

// The other end of `threadStore`: carries out batches as they come.

const { file, driver, busyTimeoutMs } = workerData as ThreadData;
const core = new StoreCore({ driver: findDriver(driver), file, busyTimeoutMs });

parentPort?.on('message', (message: readonly Operation[] | 'close') => {
  if (message !== 'close') {
    parentPort?.postMessage(core.execute(message));
    return;
  }
  core.close();
  parentPort?.postMessage([]);
});
