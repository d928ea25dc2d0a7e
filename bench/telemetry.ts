import { setImmediate } from 'node:timers/promises';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { defineAgent, maxIterations, memoryEngine } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { pipeline, using } from 'fullstop/pipeline';
import { createTelemetry, instrument, type Telemetry } from 'fullstop/telemetry';
import { scriptedModel } from 'fullstop/testing';
import { median } from './interleave.js';
import { overheard, recordByHand, spansByHand } from './made-by-hand.js';
import { longPipeline } from './pipeline.js';

const rounds = 40;
const iterations = 50;

type Body = () => ReturnType<typeof longPipeline>;

interface Provided {
  readonly telemetry: Telemetry;
  /** Asks the SDK for what a run asked it for, and for nothing else. */
  byHand(): void;
  /** Exports the spans that are waiting for it, and forgets them. */
  exported(): Promise<void>;
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
  // The processor that the SDK wants to see in production; the other one makes a promise for every span.
  const processor = new BatchSpanProcessor(exporter);
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [processor] });
  const traced = spans ? { tracerProvider } : {};
  const { provider, made } = overheard(meters());
  const rehearsal = createTelemetry({ meterProvider: provider, ...traced });
  await body().run(undefined, { engine: instrument(memoryEngine(), rehearsal) });
  rehearsal.flush();
  await processor.forceFlush();
  const record = recordByHand(meters().getMeter('by hand'), made);
  const trace = spansByHand(tracerProvider.getTracer('by hand'), exporter.getFinishedSpans());
  exporter.reset();
  return {
    telemetry: createTelemetry({ meterProvider: meters(), ...traced }),
    byHand: () => {
      record();
      trace();
    },
    async exported() {
      await processor.forceFlush();
      exporter.reset();
    },
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

interface Workload {
  readonly body: Body;
  /** How many runs are measured together, so that each part clears its own garbage away. */
  readonly runs: number;
}

/**
 * The cost of following runs. Telemetry does its work when the program is idle, so there are two answers: how much
 * later a run ends, and how much work there is in all, export included. Of that work the SDK does a part, which is measured by
 * asking it for the same spans and records with nothing around it; the rest is ours.
 */
export async function benchTelemetry(): Promise<void> {
  console.log(`\ntelemetry: added to a run (medians of ${rounds} rounds in turns); wanted: it ends at most 30% later`);
  const long = longPipeline(1000);
  const workloads: Record<string, Workload> = {
    [`agent, ${iterations} iterations with a tool call`]: { body: agentPipeline(), runs: 20 },
    '1,000 trivial stages': { body: () => long, runs: 3 },
  };
  for (const [name, workload] of Object.entries(workloads)) {
    for (const spans of [false, true])
      await compare(`${name}, ${spans ? 'metrics and spans' : 'metrics'}`, workload, spans);
  }
}

async function compare(name: string, { body, runs }: Workload, spans: boolean): Promise<void> {
  const { telemetry, byHand, exported } = await provide(body, spans);
  const run = (engine: Engine): Promise<unknown> => body().run(undefined, { engine });
  const parts: Record<Part, () => Promise<number>> = {
    plain: () => timed(() => run(memoryEngine())),
    async followed() {
      const time = await timed(() => run(instrument(memoryEngine(), telemetry)));
      telemetry.flush();
      await exported();
      return time;
    },
    byHand: () =>
      timed(async () => {
        byHand();
        await exported();
      }),
  };
  const all: Record<Part, Spent[]> = { plain: [], followed: [], byHand: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const part of round % 2 === 0 ? inOrder : otherOrder) {
      const measured = await spent(parts[part], runs);
      // The first rounds are for the compiler.
      if (round >= rounds / 4) all[part].push(measured);
    }
  }
  report(name, all);
}

function report(name: string, all: Readonly<Record<Part, readonly Spent[]>>): void {
  const work = (part: Part): number => median(all[part].map((each) => each.work));
  const time = (part: Part): number => median(all[part].map((each) => each.time));
  const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(0).padStart(3)}%`;
  const plain = work('plain');
  const added = work('followed') - plain;
  const shares = `the SDK's ${percent(work('byHand'), plain)}, ours ${percent(added - work('byHand'), plain)}`;
  const later = percent(time('followed') - time('plain'), time('plain'));
  console.log(`  ${name.padEnd(58)} ends ${later} later, work ${percent(added, plain)}: ${shares}`);
}

type Part = 'plain' | 'followed' | 'byHand';
const inOrder = ['plain', 'byHand', 'followed'] as const;
const otherOrder = ['followed', 'plain', 'byHand'] as const;

interface Spent {
  /** How long the runs took, without deferred work. */
  readonly time: number;
  /** Time of the processor, which other programs do not add to. */
  readonly work: number;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function spent(part: () => Promise<number>, runs: number): Promise<Spent> {
  const before = process.cpuUsage();
  let time = 0;
  for (let index = 0; index < runs; index += 1) {
    time += await part();
    // Weak references are cleared at the end of a turn of the event loop.
    await setImmediate();
  }
  const { user, system } = process.cpuUsage(before);
  return { time, work: (user + system) / 1000 };
}
