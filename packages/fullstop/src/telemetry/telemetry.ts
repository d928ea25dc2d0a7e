import {
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  metrics,
  type SpanContext,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { Backlog } from './backlog.js';
import { checkTelemetryOptions } from './check-telemetry-options.js';
import { createInstruments } from './instruments.js';
import type { TelemetryOptions } from './options.js';
import { type ObservedSegment, type ObserverSettings, RunObserver } from './run-observer.js';
import { wordsOf } from './words.js';

const scopeName = 'fullstop';
const usualMostSeries = 1000;
/** How many segments are remembered, for links from those that resume them. */
const mostRemembered = 1000;

/** Follows one segment of a run. */
export interface SegmentObserver {
  /** Takes the next entry, once it is durable. */
  entry(entry: Parameters<RunObserver['entry']>[0]): void;
  /** Ends its spans: nothing more will be heard of it here. Has no effect after its last entry. */
  close(at: number, reason: string): void;
}

/** Metrics and spans from journal entries. */
export interface Telemetry {
  readonly enabled: boolean;
  readonly startSpan: Tracer['startSpan'];
  /** Begins to follow a segment. One of the same run that was left without an ending is closed. */
  observe(segment: ObservedSegment): SegmentObserver;
  /** The span of the last segment of a run that was followed here. */
  lastSegment(runId: string): SpanContext | undefined;
  /** Does something when the program has a moment, behind everything that was put off before. */
  later(work: () => void): void;
  /** Does everything that was put off: call it before metrics and spans are read or the process ends. */
  flush(): void;
  /** Flushes, and ends the spans of everything that is still being followed. */
  shutdown(at?: number): void;
}

/** Makes telemetry on the OpenTelemetry providers that are given, or on those that are registered. */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  checkTelemetryOptions(options);
  if (options.enabled === false) return off;
  const { meterProvider = metrics, tracerProvider = trace, genAiV1_41: genAi = false } = options;
  const meter = meterProvider.getMeter(scopeName);
  return new JournalTelemetry({
    instruments: createInstruments(meter, { most: options.mostSeries ?? usualMostSeries, genAi }),
    tracer: tracerProvider.getTracer(scopeName),
    words: wordsOf(options.dialect),
    runtimes: options.runtimes ?? {},
    genAi,
  });
}

const nothing = (): void => undefined;

/** Asks no provider for anything; nobody calls it but those who have it in their hands. */
const off: Telemetry = {
  enabled: false,
  observe: () => ({ entry: nothing, close: nothing }),
  lastSegment: () => undefined,
  startSpan: () => trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
  later: nothing,
  flush: nothing,
  shutdown: nothing,
};

class JournalTelemetry implements Telemetry {
  readonly enabled = true;
  readonly #settings: ObserverSettings;
  readonly #following = new Map<string, RunObserver>();
  readonly #remembered = new Map<string, SpanContext>();
  readonly #backlog = new Backlog();

  constructor(settings: ObserverSettings) {
    this.#settings = settings;
  }

  readonly startSpan: Telemetry['startSpan'] = (...span) => this.#settings.tracer.startSpan(...span);

  observe(segment: ObservedSegment): SegmentObserver {
    const { runId, startedAt } = segment;
    this.#following.get(runId)?.close(startedAt, 'lost');
    const observer = new RunObserver(this.#settings, segment);
    this.#following.set(runId, observer);
    this.#remember(runId, observer.spanContext());
    const forget = (): void => {
      if (this.#following.get(runId) === observer) this.#following.delete(runId);
    };
    return {
      entry: (entry) => {
        observer.entry(entry);
        if (entry.type === 'segment_ended') forget();
      },
      close: (at, reason) => {
        observer.close(at, reason);
        forget();
      },
    };
  }

  lastSegment(runId: string): SpanContext | undefined {
    return this.#remembered.get(runId);
  }

  later(work: () => void): void {
    this.#backlog.add(work);
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
