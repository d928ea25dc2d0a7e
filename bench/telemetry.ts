import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { defineAgent, maxIterations, memoryEngine } from 'fullstop';
import { pipeline, using } from 'fullstop/pipeline';
import { createTelemetry, instrument, type Telemetry } from 'fullstop/telemetry';
import { scriptedModel } from 'fullstop/testing';
import { median } from './interleave.js';
import { longPipeline } from './pipeline.js';

const rounds = 40;
const iterations = 50;

interface Provided {
  readonly telemetry: Telemetry;
  reset(): void;
}

function provide(spans: boolean): Provided {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 1e9,
    exportTimeoutMillis: 1e8,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    telemetry: createTelemetry({ meterProvider, ...(spans && { tracerProvider }) }),
    reset: () => exporter.reset(),
  };
}

/** A pipeline whose stage is an agent with a tool call in each of its iterations, as pipelines usually are. */
function agentPipeline(): () => ReturnType<typeof longPipeline> {
  const search = { toolCalls: [{ tool: 'search', input: { q: 'x' } }], usage: { inputTokens: 10, outputTokens: 5 } };
  return () => {
    const model = scriptedModel([...Array.from({ length: iterations - 1 }, () => search), { text: 'found' }]);
    const tools = { search: { inputSchema: { type: 'object' }, execute: async () => 'hit' } };
    const agent = defineAgent({ name: 'searcher', model, tools, stopWhen: [maxIterations(1000)] });
    return pipeline('agents').stage(
      'find',
      using(agent, () => 'go'),
    ) as unknown as ReturnType<typeof longPipeline>;
  };
}

/**
 * What following runs adds to them, with the exporters of the SDK that keep everything in memory. Telemetry does its work
 * when the program has a moment, so there are two answers: how much later a run ends, and how much work there is in all.
 */
export async function benchTelemetry(): Promise<void> {
  console.log(`\ntelemetry: added to a run (median of ${rounds} interleaved pairs); at most 30% later are wanted`);
  const long = longPipeline(1000);
  const bodies = {
    [`agent, ${iterations} iterations with a tool call`]: agentPipeline(),
    '1,000 trivial stages': () => long,
  };
  for (const [name, body] of Object.entries(bodies)) {
    for (const spans of [false, true])
      await compare(`${name}, ${spans ? 'metrics and spans' : 'metrics'}`, body, spans);
  }
}

async function compare(name: string, body: () => ReturnType<typeof longPipeline>, spans: boolean): Promise<void> {
  const { telemetry, reset } = provide(spans);
  const [later, inAll]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const plain = await timed(() => body().run(undefined, { engine: memoryEngine() }));
    const followed = await timed(() => body().run(undefined, { engine: instrument(memoryEngine(), telemetry) }));
    const rest = await timed(async () => telemetry.flush());
    reset();
    // The first rounds are for the compiler.
    if (round < rounds / 4) continue;
    later.push(followed / plain);
    inAll.push((followed + rest) / plain);
  }
  const [end, all] = [later, inAll].map((ratios) => `${((median(ratios) - 1) * 100).toFixed(0).padStart(4)}%`);
  console.log(`  ${name.padEnd(58)} ends ${end} later, work ${all}`);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
