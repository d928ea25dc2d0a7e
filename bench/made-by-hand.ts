import { type Attributes, type Meter, type MeterProvider, ROOT_CONTEXT, type Tracer, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

interface MadeRecord {
  readonly instrument: string;
  readonly value: number;
  readonly attributes: Attributes;
}

/** A provider that also keeps what histograms record. Counters are summed up by us, and cost the SDK nothing before it reads them. */
export function overheard(provider: MeterProvider): { readonly provider: MeterProvider; readonly made: MadeRecord[] } {
  const made: MadeRecord[] = [];
  const getMeter = (name: string): Meter => {
    const meter = provider.getMeter(name);
    const createHistogram: Meter['createHistogram'] = (instrument, options) => {
      const histogram = meter.createHistogram(instrument, options);
      return {
        record(value, attributes, context) {
          made.push({ instrument, value, attributes: attributes ?? {} });
          histogram.record(value, attributes as never, context);
        },
      };
    };
    return Object.assign(Object.create(meter) as Meter, { createHistogram });
  };
  return { provider: { getMeter }, made };
}

/** Makes the same records of histograms once more, with nothing around them. */
export function recordByHand(meter: Meter, made: readonly MadeRecord[]): () => void {
  const names = [...new Set(made.map(({ instrument }) => instrument))];
  const histograms = new Map(names.map((name) => [name, meter.createHistogram(name)]));
  const calls = made.map(({ instrument, value, attributes }) => ({
    histogram: histograms.get(instrument),
    value,
    attributes,
  }));
  return () => {
    for (const { histogram, value, attributes } of calls) histogram?.record(value, attributes, ROOT_CONTEXT);
  };
}

interface MadeSpan {
  readonly span: ReadableSpan;
  readonly inside: readonly MadeSpan[];
}

/** Makes the same nested spans once more, with all attributes known from the start. */
export function spansByHand(tracer: Tracer, spans: readonly ReadableSpan[]): () => void {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const childrenOf = (id: string | undefined): MadeSpan[] =>
    spans
      .filter(({ parentSpanContext: parent }) => (ids.has(parent?.spanId ?? '') ? parent?.spanId : undefined) === id)
      .map((span) => ({ span, inside: childrenOf(span.spanContext().spanId) }));
  const make = ({ span, inside }: MadeSpan, context: typeof ROOT_CONTEXT): void => {
    const { name, kind, startTime, endTime, attributes } = span;
    const made = tracer.startSpan(name, { kind, startTime, attributes }, context);
    if (inside.length > 0) {
      const around = trace.setSpan(ROOT_CONTEXT, made);
      for (const child of inside) make(child, around);
    }
    made.end(endTime);
  };
  const roots = childrenOf(undefined);
  return () => {
    for (const root of roots) make(root, ROOT_CONTEXT);
  };
}
