import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import type { JsonObject } from '../../../packages/fullstop/src/termination/json.js';
import { checkEqual } from '../../../packages/fullstop/src/testing/check.js';
import type { ChaosInput } from '../bodies.js';
import type { EffectLog } from '../effect-log.js';
import { patientEngine } from './patient-engine.js';

const size = 30;

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

  /** All start one run of this version, wait until it asks, and answer: one is the first to start it, and one to answer. */
  async meet(version: string, input: ChaosInput): Promise<void> {
    if (this.#clients.length === 0) this.#clients = Array.from({ length: size }, () => patientEngine(this.#open()));
    this.#meetings += 1;
    const runId = `crowd-${this.#meetings}`;
    const request = { runId, name: 'waits', version, input: { ...input, size: 1 } as unknown as JsonObject };
    const started = await Promise.all(this.#clients.map((client) => client.start(request)));
    checkEqual(started.filter((each) => each === 'started').length, 1, `how many clients started ${runId}`);
    const requestId = 'ask 0';
    // Somebody else may answer it too; then those who hear of it late hear of a later ending.
    const receipts = await Promise.all(
      this.#clients.map(async (client, index) => {
        const { segment, persisted, termination } = await client.waitForEnding(runId, 1);
        this.#log.write({ type: 'result', runId, segment, persisted, ending: JSON.stringify(termination) });
        return client.answer(runId, requestId, { decision: 'approve', by: `client ${index}` });
      }),
    );
    const delivered = receipts.flatMap(({ status }, index) => (status === 'delivered' ? [`client ${index}`] : []));
    checkEqual(delivered.length <= 1, true, `that at most one answer to ${runId} was delivered, of ${delivered}`);
    for (const by of delivered) this.#log.write({ type: 'answered', runId, requestId, by });
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
