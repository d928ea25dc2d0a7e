import type { AnswerReceipt, RequestAnswer } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { UsageError } from '../command-line/usage-error.js';
import { localTime } from '../journal/value-text.js';

export interface Delivery {
  readonly runId: string;
  readonly requestId: string;
  readonly answer: RequestAnswer;
}

/** Delivers an answer, or says who was first or when it was too late. */
export async function deliverAnswer(engine: Engine, { runId, requestId, answer }: Delivery): Promise<void> {
  refuseUndelivered(await engine.answer(runId, requestId, answer), runId, requestId);
}

function refuseUndelivered(receipt: AnswerReceipt, runId: string, id: string): void {
  switch (receipt.status) {
    case 'delivered':
      return;
    case 'already':
      throw new UsageError(
        `${JSON.stringify(id)} was answered already by ${receipt.by ?? 'someone'} at ${localTime(receipt.at)}.`,
      );
    case 'expired':
      throw new UsageError(
        `${JSON.stringify(id)} expired at ${localTime(receipt.deadline)}. A resume with a new deadline asks again: fullstop resume ${runId} --deadline ${id}=1d`,
      );
    case 'ended':
      throw new UsageError(`${runId} has a final ending; nothing can be answered any more.`);
    case 'unknown':
      throw new UsageError(`${runId} does not ask ${JSON.stringify(id)}. fullstop answer ${runId} lists what it asks.`);
    default:
      receipt satisfies never;
  }
}
