import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import type { JsonObject } from '../../../packages/fullstop/src/termination/json.js';
import { checkEqual } from '../../../packages/fullstop/src/testing/check.js';
import type { ChaosInput } from '../bodies.js';
import type { EffectLog } from '../effect-log.js';
import { patientEngine } from './patient-engine.js';

const size = 30;
const lookMs = 50;

/** Clients that all want the same at once. */
export class ClientCrowd {
  readonly #open: () => StoreEngine;
  readonly #log: EffectLog;
  #clients: readonly StoreEngine[] = [];
  #meetings = 0;

  constructor(open: () => StoreEngine, log: EffectLog) {
    this.#open = open;
    this.#log = log;
  }

  /** All start one run of this version and answer its one question: of both, one is the first. */
  async meet(version: string, input: ChaosInput): Promise<void> {
    if (this.#clients.length === 0) this.#clients = Array.from({ length: size }, () => patientEngine(this.#open()));
    const [first] = this.#clients as readonly [StoreEngine];
    this.#meetings += 1;
    const runId = `crowd-${this.#meetings}`;
    const request = { runId, name: 'waits', version, input: { ...input, size: 1 } as unknown as JsonObject };
    const started = await Promise.all(this.#clients.map((client) => client.start(request)));
    checkEqual(started.filter((each) => each === 'started').length, 1, `how many clients started ${runId}`);
    const requestId = 'ask 0';
    // Somebody else may answer it too; then all of these come late.
    while ((await first.openRequests(runId)).length === 0 && (await first.summary(runId))?.state !== 'ended')
      await sleep(lookMs);
    const receipts = await Promise.all(
      this.#clients.map((client, index) =>
        client.answer(runId, requestId, { decision: 'approve', by: `client ${index}` }),
      ),
    );
    const delivered = receipts.flatMap(({ status }, index) => (status === 'delivered' ? [`client ${index}`] : []));
    checkEqual(delivered.length <= 1, true, `that at most one answer to ${runId} was delivered, of ${delivered}`);
    for (const by of delivered) this.#log.write({ type: 'answered', runId, requestId, by });
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
