import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type Span,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { TelemetryOptions } from './options.js';
import { createTelemetry, type Telemetry } from './telemetry.js';

/** Counts the spans that were begun and not ended. */
class OpenSpans implements SpanProcessor {
  readonly open = new Set<ReadableSpan>();
  endedTwice = 0;
  onStart(span: Span): void {
    this.open.add(span as unknown as ReadableSpan);
  }
  onEnd(span: ReadableSpan): void {
    if (!this.open.delete(span)) this.endedTwice += 1;
  }
  async forceFlush(): Promise<void> {
    /* nothing is kept back */
  }
  async shutdown(): Promise<void> {
    /* nothing is kept back */
  }
}

interface Point {
  readonly value: number;
  readonly [attribute: string]: unknown;
}

interface Observed {
  readonly telemetry: Telemetry;
  readonly tracerProvider: BasicTracerProvider;
  readonly meterProvider: MeterProvider;
  /** The ended spans, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  openSpans(): readonly string[];
  endedTwice(): number;
  /** The points of an instrument: the sum of a counter, the count of a histogram, with their attributes. */
  points(name: string): Promise<readonly Point[]>;
  /** The sums of a histogram. */
  sums(name: string): Promise<readonly number[]>;
  units(): Promise<Readonly<Record<string, string>>>;
  seriesCount(): Promise<number>;
}

/** Telemetry on in-memory providers of the real SDK. */
export function observed(options: TelemetryOptions = {}): Observed {
  const exporter = new InMemorySpanExporter();
  const open = new OpenSpans();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [open, new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  // It is only ever read when a test asks.
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 1e9,
    exportTimeoutMillis: 1e8,
    cardinalitySelector: () => 1_000_000,
  } as ConstructorParameters<typeof PeriodicExportingMetricReader>[0]);
  const meterProvider = new MeterProvider({ readers: [reader] });
  const telemetry = createTelemetry({ tracerProvider, meterProvider, ...options });
  const collect = async () => {
    telemetry.flush();
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
  };
  return {
    telemetry,
    tracerProvider,
    meterProvider,
    spans: () => {
      telemetry.flush();
      return exporter.getFinishedSpans();
    },
    openSpans: () => {
      telemetry.flush();
      return [...open.open].map(({ name }) => name);
    },
    endedTwice: () => open.endedTwice,
    points: async (name) => {
      const metric = (await collect()).find(({ descriptor }) => descriptor.name === name);
      return (metric?.dataPoints ?? []).map(({ value, attributes }) => ({
        ...attributes,
        value: typeof value === 'number' ? value : (value as { count: number }).count,
      }));
    },
    sums: async (name) => {
      const metric = (await collect()).find(({ descriptor }) => descriptor.name === name);
      return (metric?.dataPoints ?? []).map(({ value }) => (value as { sum: number }).sum);
    },
    units: async () =>
      Object.fromEntries((await collect()).map(({ descriptor }) => [descriptor.name, descriptor.unit])),
    seriesCount: async () => (await collect()).reduce((sum, { dataPoints }) => sum + dataPoints.length, 0),
  };
}

/** A tree of spans as lines: `run > stage`. */
export function pathsOf(spans: readonly ReadableSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '');
    const name = span.name.replace('fullstop.', '');
    return parent === undefined ? name : `${pathOf(parent)} > ${name}`;
  };
  return spans.map(pathOf);
}
