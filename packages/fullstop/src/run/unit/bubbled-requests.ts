import type { OpenRequest, ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import { bubbledRequestId, spawnAnswerKey } from '../journal/operation-key.js';
import type { Execution } from '../segment/execution.js';
import type { Unit } from './unit.js';
import type { UnitContext } from './unit-context.js';
import { withdrawRequest } from './wait.js';

interface Place {
  readonly unit: Unit;
  readonly context: UnitContext;
  readonly runId: string;
}

interface Bubbled {
  readonly id: string;
  readonly answer: Promise<{ readonly requestId: string; readonly received: ReceivedAnswer }>;
}

/** The questions of a spawned run, asked by the run that spawned it; answers are passed on. */
export class BubbledRequests {
  readonly #execution: Execution;
  readonly #place: Place;
  readonly #open = new Map<string, Bubbled>();
  readonly #turns = new Map<string, number>();

  constructor(execution: Execution, place: Place) {
    this.#execution = execution;
    this.#place = place;
  }

  /** Asks what is not asked yet, and settles when the spawned run can continue: with an answer, or because a deadline has passed. */
  async ask(requests: readonly OpenRequest[]): Promise<void> {
    const asked = new Set(requests.map(({ id }) => id));
    for (const id of [...this.#open.keys()]) if (!asked.has(id)) this.#withdraw(id);
    for (const request of requests) if (!this.#open.has(request.id)) this.#begin(request);
    const { requestId, received } = await Promise.race([...this.#open.values()].map(({ answer }) => answer));
    this.#open.delete(requestId);
    const { engine } = this.#execution;
    const { context, runId } = this.#place;
    const { requestId: _id, at: _at, expired, ...answer } = received;
    // The spawned run applies its deadlines itself.
    if (expired !== true)
      await context.stepElsewhere(spawnAnswerKey(runId), async () => {
        const { status } = await engine.answer(runId, requestId, answer);
        return status;
      });
  }

  #begin(request: OpenRequest): void {
    const { context } = this.#place;
    const turn = (this.#turns.get(request.id) ?? 0) + 1;
    this.#turns.set(request.id, turn);
    const id = bubbledRequestId(context.scope, request.id, turn);
    const answer = context.wait(asOwn(request, id)).then((received) => ({ requestId: request.id, received }));
    // Whoever races for the first answer may never look at the others.
    answer.catch(() => undefined);
    this.#open.set(request.id, { id, answer });
  }

  withdrawAll(): void {
    for (const requestId of [...this.#open.keys()]) this.#withdraw(requestId);
  }

  #withdraw(requestId: string): void {
    const bubbled = this.#open.get(requestId);
    this.#open.delete(requestId);
    if (bubbled !== undefined) withdrawRequest(this.#execution, bubbled.id);
  }
}

/** The same question as one of this run. When its deadline passes, the run only looks what became of the one that asked. */
function asOwn(
  { path: _path, openedAt: _openedAt, escalation: _escalation, ...request }: OpenRequest,
  id: string,
): RunRequest {
  return { ...request, id, ...(request.deadline !== undefined && { onExpiry: 'reject' }) };
}
