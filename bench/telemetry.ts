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
import { overheard, recordByHand, spansByHand } from './made-by-hand.js';
import { longPipeline } from './pipeline.js';

const rounds = 80;
const iterations = 50;

type Body = () => ReturnType<typeof longPipeline>;

interface Provided {
  readonly telemetry: Telemetry;
  /** Asks the SDK for what a run asked it for, and for nothing else. */
  byHand(): void;
  reset(): void;
}

function meters(): MeterProvider {
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 1e9,
    exportTimeoutMillis: 1e8,
  });
  return new MeterProvider({ readers: [reader] });
}

/** Telemetry on the exporters of the SDK that keep everything in memory, and the same work by hand. */
async function provide(body: Body, spans: boolean): Promise<Provided> {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const traced = spans ? { tracerProvider } : {};
  const { provider, made } = overheard(meters());
  const rehearsal = createTelemetry({ meterProvider: provider, ...traced });
  await body().run(undefined, { engine: instrument(memoryEngine(), rehearsal) });
  rehearsal.flush();
  const record = recordByHand(meters().getMeter('by hand'), made);
  const trace = spansByHand(tracerProvider.getTracer('by hand'), exporter.getFinishedSpans());
  exporter.reset();
  return {
    telemetry: createTelemetry({ meterProvider: meters(), ...traced }),
    byHand: () => {
      record();
      trace();
    },
    reset: () => exporter.reset(),
  };
}

/** A pipeline whose stage is an agent with a tool call in each of its iterations, as pipelines usually are. */
function agentPipeline(): Body {
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
 * What following runs adds to them. Telemetry does its work when the program has a moment, so there are two answers: how much
 * later a run ends, and how much work there is in all. Of that work the SDK does a part, which is measured by asking it for
 * the same spans and records with nothing around it; the rest is ours.
 */
export async function benchTelemetry(): Promise<void> {
  console.log(`\ntelemetry: added to a run (medians of ${rounds} rounds in turns); at most 30% of our own are wanted`);
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

async function compare(name: string, body: Body, spans: boolean): Promise<void> {
  const { telemetry, byHand, reset } = await provide(body, spans);
  const parts = {
    plain: () => body().run(undefined, { engine: memoryEngine() }),
    followed: () => body().run(undefined, { engine: instrument(memoryEngine(), telemetry) }),
    rest: async () => telemetry.flush(),
    byHand: async () => byHand(),
  };
  const all: Record<Part, Spent[]> = { plain: [], followed: [], rest: [], byHand: [] };
  for (let round = 0; round < rounds; round += 1) {
    // In turns, because garbage that one part leaves is cleared away in the time of the next.
    for (const part of round % 2 === 0 ? inOrder : otherOrder) {
      const measured = await spent(parts[part]);
      if (part === 'rest' || part === 'byHand') reset();
      // The first rounds are for the compiler.
      if (round >= rounds / 4) all[part].push(measured);
    }
  }
  const work = (part: Part): number => median(all[part].map((each) => each.work));
  const time = (part: Part): number => median(all[part].map((each) => each.time));
  const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(0).padStart(3)}%`;
  const plain = work('plain');
  const added = work('followed') + work('rest') - plain;
  const shares = `the SDK's ${percent(work('byHand'), plain)}, ours ${percent(added - work('byHand'), plain)}`;
  const later = percent(time('followed') - time('plain'), time('plain'));
  console.log(`  ${name.padEnd(58)} ends ${later} later, work ${percent(added, plain)}: ${shares}`);
}

type Part = 'plain' | 'followed' | 'rest' | 'byHand';
const inOrder = ['plain', 'byHand', 'followed', 'rest'] as const;
const otherOrder = ['followed', 'rest', 'plain', 'byHand'] as const;

interface Spent {
  readonly time: number;
  /** Time of the processor, which other programs do not add to. */
  readonly work: number;
}

async function spent(run: () => Promise<unknown>): Promise<Spent> {
  const before = process.cpuUsage();
  const start = performance.now();
  await run();
  const time = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return { time, work: (user + system) / 1000 };
}
