import { type Context, context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { delegateWorker } from '../engines/port/delegate-engine.js';
import type { Engine, ReopenRequest, RunnableDefinition, RunSession, StartRequest } from '../engines/port/engine.js';
import { checkInstrumented } from './check-telemetry-options.js';
import { observedSession } from './observed-session.js';
import { traceOption } from './openings.js';
import { hrTime } from './spans/hr-time.js';
import { toTraceparent } from './spans/traceparent.js';
import type { Telemetry } from './telemetry.js';

/** The telemetry that follows an engine already: to follow it twice would count everything twice. */
const followers = new WeakMap<Engine, Set<Telemetry>>();

/**
 * Returns an engine with which every run is measured and traced, whatever its body is and wherever it is executed. Nothing
 * is asked of the runs themselves: all of it comes from the entries that the engine has made durable.
 *
 * @example
 * const engine = instrument(sqliteEngine('.fullstop/runs.db'), createTelemetry());
 */
export function instrument<TEngine extends Engine>(engine: TEngine, telemetry: Telemetry): TEngine {
  checkInstrumented(engine, telemetry);
  if (!telemetry.enabled || followers.get(engine)?.has(telemetry) === true) return engine;
  telemetry.watch(engine);
  const { clock } = engine;
  const own = {
    start: (request: StartRequest) => engine.start(withTrace(request, 'fullstop.start')),
    reopen: (request: ReopenRequest) => engine.reopen(withTrace(request, 'fullstop.resume')),
    claim: async (runId: string, workerId: string) => {
      const session = await engine.claim(runId, workerId);
      return session === undefined ? undefined : observedSession(session, telemetry, clock);
    },
    worker: (definitions: readonly RunnableDefinition[], options: Parameters<Engine['worker']>[1]) =>
      delegateWorker(engine.worker(definitions.map(observeDefinition), options), observeDefinition),
  };

  function withTrace<TRequest extends StartRequest | ReopenRequest>(request: TRequest, name: string): TRequest {
    try {
      const traceparent = spanOf(request, name);
      return traceparent === undefined
        ? request
        : { ...request, options: { ...request.options, [traceOption]: traceparent } };
    } catch {
      // A fault of telemetry must never be one of the run.
      return request;
    }
  }

  // A span that is over at once: its name is in the journal, so that the segment can continue its trace in any process.
  function spanOf(request: StartRequest | ReopenRequest, name: string): string | undefined {
    const active = context.active();
    const parent = trace.getSpan(active) === undefined ? contextOfSpawner(request) : active;
    const at = hrTime(clock.now());
    const options = { kind: SpanKind.PRODUCER, startTime: at, attributes: { 'fullstop.run.id': request.runId } };
    const span = telemetry.startSpan(name, options, parent);
    span.end(at);
    const spanContext = span.spanContext();
    return trace.isSpanContextValid(spanContext) ? toTraceparent(spanContext) : undefined;
  }

  // A run that another one spawned belongs to the trace of that one, which may have begun only just now.
  function contextOfSpawner(request: StartRequest | ReopenRequest): Context {
    if (!('parent' in request) || request.parent === undefined) return ROOT_CONTEXT;
    telemetry.flush();
    const spawner = telemetry.lastSegment(request.parent.runId);
    return spawner === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spawner);
  }

  function observeDefinition(definition: RunnableDefinition): RunnableDefinition {
    const { name, version } = definition;
    const execute = (session: RunSession): Promise<void> =>
      definition.execute(observedSession(session, telemetry, clock), instrumented);
    return { name, version, execute };
  }

  // A proxy, because engines have calls of their own besides those of the port. What is asked for all the time,
  // such as the clock, does not go through it: such a call takes as long as an entry.
  const others = new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const instrumented: TEngine = Object.create(others, Object.getOwnPropertyDescriptors({ ...others, ...own, clock }));
  followers.set(instrumented, new Set(followers.get(engine)).add(telemetry));
  return instrumented;
}
