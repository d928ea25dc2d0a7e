import {
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  metrics,
  type SpanContext,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Engine } from '../engines/port/engine.js';
import type { EntryDraft } from '../engines/port/journal-entry.js';
import { Backlog } from './backlog.js';
import { checkTelemetryOptions } from './check-telemetry-options.js';
import { createInstruments } from './metrics/instruments.js';
import { WaitingRuns } from './metrics/waiting-runs.js';
import { wordsOf } from './metrics/words.js';
import type { TelemetryOptions } from './options.js';
import { type ObservedSegment, type ObserverSettings, RunObserver } from './run-observer.js';

const scopeName = 'fullstop';
const usualMostSeries = 1000;
/** How many segments are remembered, for links from those that resume them. */
const mostRemembered = 1000;

/** Follows one segment of a run. */
export interface SegmentObserver {
  /** Takes the next entry, once it is durable. */
  entry(entry: EntryDraft): void;
  /** Ends its spans: nothing more of it will be seen here. Has no effect after its last entry. */
  close(at: number, reason: string): void;
}

/** Metrics and spans from journal entries. */
export interface Telemetry {
  readonly enabled: boolean;
  readonly startSpan: Tracer['startSpan'];
  /** Also reports which runs of an engine wait for a person, wherever they are executed. */
  watch(engine: Engine): void;
  /** Begins to follow a segment. One of the same run that was left without an ending is closed. */
  observe(segment: ObservedSegment): SegmentObserver;
  /** The span of the last segment of a run that was followed here. */
  lastSegment(runId: string): SpanContext | undefined;
  /** Does something when the program has a moment, after everything that was put off before. */
  later(work: () => void): void;
  /** Notifies a follower of an entry, in the same way. */
  notify(follower: Pick<SegmentObserver, 'entry'>, entry: EntryDraft): void;
  /** Does everything that was put off: call it before metrics and spans are read or the process ends. */
  flush(): void;
  /** Flushes, and ends the spans of everything that is still being followed. */
  shutdown(at?: number): void;
}

/** Creates telemetry on the given OpenTelemetry providers, or on those that are registered. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  checkTelemetryOptions(options);
  if (options.enabled === false) return off;
  const { meterProvider = metrics, tracerProvider = trace } = options;
  const meter = meterProvider.getMeter(scopeName);
  const most = options.mostSeries ?? usualMostSeries;
  const settings = {
    instruments: createInstruments(meter, { most, genAi: options.genAi !== undefined }),
    tracer: tracerProvider.getTracer(scopeName),
    words: wordsOf(options.dialect),
    runtimes: options.runtimes ?? {},
  };
  return new JournalTelemetry(settings, new WaitingRuns(meter, most));
}

const nothing = (): void => undefined;

/** Telemetry that is off: it asks no provider for anything. */
const off: Telemetry = {
  enabled: false,
  watch: nothing,
  observe: () => ({ entry: nothing, close: nothing }),
  lastSegment: () => undefined,
  startSpan: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  later: nothing,
  notify: nothing,
  flush: nothing,
  shutdown: nothing,
};

class JournalTelemetry implements Telemetry {
  readonly enabled = true;
  readonly #settings: ObserverSettings;
  readonly #following = new Map<string, RunObserver>();
  readonly #remembered = new Map<string, SpanContext>();
  readonly #backlog = new Backlog();
  readonly #waiting: WaitingRuns;

  constructor(settings: ObserverSettings, waiting: WaitingRuns) {
    this.#settings = settings;
    this.#waiting = waiting;
  }

  watch(engine: Engine): void {
    this.#waiting.add(engine);
  }

  readonly startSpan: Telemetry['startSpan'] = (...span) => this.#settings.tracer.startSpan(...span);

  observe(segment: ObservedSegment): SegmentObserver {
    const { runId, startedAt } = segment;
    this.#following.get(runId)?.close(startedAt, 'lost');
    const observer: RunObserver = new RunObserver(this.#settings, segment, () => {
      if (this.#following.get(runId) === observer) this.#following.delete(runId);
    });
    this.#following.set(runId, observer);
    this.#remember(runId, observer.spanContext());
    return observer;
  }

  lastSegment(runId: string): SpanContext | undefined {
    return this.#remembered.get(runId);
  }

  later(work: () => void): void {
    this.#backlog.add(work);
  }

  notify(follower: Pick<SegmentObserver, 'entry'>, entry: EntryDraft): void {
    this.#backlog.notify(follower, entry);
  }

  flush(): void {
    this.#backlog.drain();
  }

  shutdown(at: number = Date.now()): void {
    this.flush();
    for (const observer of this.#following.values()) observer.close(at, 'shutdown');
    this.#following.clear();
  }

  #remember(runId: string, context: SpanContext | undefined): void {
    if (context === undefined || !isSpanContextValid(context)) return;
    this.#remembered.delete(runId);
    this.#remembered.set(runId, context);
    const oldest = this.#remembered.size > mostRemembered ? this.#remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
