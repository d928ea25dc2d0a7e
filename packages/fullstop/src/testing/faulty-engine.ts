import { delegateEngine, delegateWorker } from '../engines/port/delegate-engine.js';
import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import { type Fault, FaultPlan, type FaultPoint } from './fault-plan.js';
import { errorOf } from './faulty-session.js';
import { RunOwners } from './run-owners.js';

/** An engine that fails as planned. */
export interface FaultyEngine extends Engine {
  /** The faults that have struck so far. */
  readonly struck: readonly Fault[];
  /** Drops the owner of a run as if its process had died. */
  crash(runId: string): void;
  /** Revokes a run from its owner. */
  fence(runId: string): void;
  /** Settles when the owner of a run is gone, at once if nobody has it. */
  lost(runId: string): Promise<void>;
}

/**
 * Wraps an engine so that its calls fail, take time, lose their owner or are fenced off as planned. What was appended is
 * committed by `flush` only, also on engines that would keep it at once. A run whose owner was lost can be claimed again.
 */
export function faultyEngine(engine: Engine, faults: readonly Fault[] = []): FaultyEngine {
  const plan = new FaultPlan(faults);
  const owners = new RunOwners(engine, plan);

  const strike = async <T>(point: FaultPoint, perform: () => Promise<T>, lose?: (result: T) => void): Promise<T> => {
    const fault = plan.next(point);
    if (fault?.effect === 'delay') await owners.sleep(fault.delayMs ?? 10);
    if (fault?.effect === 'fail') throw errorOf(fault);
    const result = await perform();
    if (fault?.effect !== 'fail_after') return result;
    lose?.(result);
    throw errorOf(fault);
  };

  const inFaults = (definition: RunnableDefinition): RunnableDefinition => ({
    name: definition.name,
    version: definition.version,
    execute: (session) => definition.execute(owners.adopt(session), faulty),
  });
  const faulty: FaultyEngine = {
    ...delegateEngine(engine),
    struck: plan.struck,
    start: (request) => strike('start', () => engine.start(request)),
    reopen: (request) => strike('reopen', () => engine.reopen(request)),
    answer: (runId, requestId, answer) => strike('answer', () => engine.answer(runId, requestId, answer)),
    cancel: (runId, request) => strike('cancel', () => engine.cancel(runId, request)),
    ending: (runId) => strike('ending', () => engine.ending(runId)),
    journal: (runId, query) => strike('journal', () => engine.journal(runId, query)),
    // Who asked got no session then: an owner that is never lost could keep the run for ever.
    claim: (runId, workerId) =>
      strike(
        'claim',
        () => owners.claim(runId, workerId),
        (session) => session && owners.sessionOf(runId)?.crash(),
      ),
    worker: (definitions, options) => delegateWorker(engine.worker(definitions.map(inFaults), options), inFaults),
    crash: (runId) => owners.sessionOf(runId)?.crash(),
    fence: (runId) => owners.sessionOf(runId)?.fence(),
    lost: (runId) => owners.lost(runId),
  };
  return faulty;
}
