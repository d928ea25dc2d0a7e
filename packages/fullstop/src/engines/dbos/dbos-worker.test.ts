import { expect, test } from 'vitest';
import type { Engine, RunnableDefinition } from '../port/engine.js';
import type { StoreSession } from '../store/store-session.js';
import { DbosWorker, type DbosWorkerParts } from './dbos-worker.js';

test('a run that is claimed while its worker is told to stop is given back, not executed', async () => {
  const claim = { runId: 'run', run: 1, epoch: 2 };
  const seen: unknown[] = [];
  let handOver: (session: StoreSession) => void = () => undefined;
  const claiming = new Promise<StoreSession>((resolve) => {
    handOver = resolve;
  });
  const session = { claim, segment: 1, onFenced: () => undefined, lose: () => seen.push('lost') };
  const opened = {
    claim: () => claiming,
    commits: { ask: async (...asked: readonly unknown[]) => void seen.push(asked) },
    watch: { sessions: new Map() },
  } as unknown as DbosWorkerParts['opened'];
  const definition = { name: 'work', version: '1', execute: async () => void seen.push('executed') };
  const worker = new DbosWorker({
    engine: { clock: { callAt: () => () => undefined }, summary: async () => undefined } as unknown as Engine,
    opened,
    definitions: [],
    workerId: 'worker',
    concurrency: 1,
    onMore: () => undefined,
    onStop: async () => undefined,
  });
  const dispatch = { schema: 'fullstop', runId: 'run', name: 'work', version: '1', segment: 1, epoch: 1 };
  const result = worker.execute(definition as unknown as RunnableDefinition, dispatch);
  await worker.stop(0);
  handOver(session as unknown as StoreSession);
  expect(await result).toEqual({ result: 'released' });
  expect(seen).toEqual([['release', { claims: [claim], crashed: false }], 'lost']);
});
