import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { defineAgent, memoryEngine } from 'fullstop';
import { pipeline, using } from 'fullstop/pipeline';
import { createTelemetry, instrument, projectJournal } from 'fullstop/telemetry';
import { scriptedModel } from 'fullstop/testing';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const telemetry = createTelemetry({ tracerProvider, genAi: '2026-10' });

const writer = defineAgent({
  name: 'writer',
  model: scriptedModel([{ toolCalls: [{ tool: 'search', input: {} }] }, { text: 'a draft' }]),
  tools: { search: { inputSchema: { type: 'object' }, execute: async () => 'a page' } },
});
const article = pipeline('article').phase('writing', (phase) =>
  phase.stage(
    'draft',
    using(writer, () => 'Write'),
  ),
);

const result = await article.run(undefined, { engine: instrument(memoryEngine(), telemetry) });
telemetry.flush();

const spans = exporter.getFinishedSpans();
const show = (parent: string | undefined, depth: number): void => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)) {
    console.log(`${'  '.repeat(depth)}${span.name} ${span.attributes['fullstop.termination'] ?? ''}`.trimEnd());
    show(span.spanContext().spanId, depth + 1);
  }
};
show(undefined, 0);

// The same spans from a journal that was stored earlier.
exporter.reset();
projectJournal(await result.journal(), telemetry);
console.log(exporter.getFinishedSpans().length, 'spans of a stored run');
