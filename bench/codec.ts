import { createCodec, decode, encode, safeDecode, type Termination, terminations } from 'fullstop';
import { type Contender, interleave, type Timing } from './interleave.js';

const rounds = { rounds: 15, count: 20_000 } as const;

const samples: Readonly<Record<string, Termination>> = {
  'max_iterations (70 B)': terminations.maxIterations({ limit: 25, used: 25 }),
  'failed with cause (400 B)': terminations.failed({
    error: {
      name: 'FetchError',
      message: 'connect ECONNREFUSED 127.0.0.1:5432',
      code: 'ECONNREFUSED',
      stack: 'FetchError: connect ECONNREFUSED\n    at connect (client.ts:120:11)\n    at retry (client.ts:80:3)',
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' },
    },
    origin: 'tool',
    errorClass: 'external',
  }),
  'custom with 2 KB of properties': terminations.custom({
    reason: 'reconciled',
    category: 'success',
    properties: { findings: Array.from({ length: 40 }, (_, id) => ({ id, account: `A-${id}`, amount: id * 1.25 })) },
  }),
};

/** Encode against JSON.stringify, decode and safeDecode against JSON.parse, for small and larger values. */
export function benchCodec(): void {
  const strict = createCodec({ unknownFields: 'reject' });
  for (const [name, sample] of Object.entries(samples)) {
    const text = encode(sample);
    print(name, [
      ...interleave(
        [loop('JSON.stringify', () => JSON.stringify(sample)), loop('encode', () => encode(sample))],
        rounds,
      ),
      ...interleave(
        [
          loop('JSON.parse', () => JSON.parse(text)),
          loop('decode', () => decode(text)),
          loop('safeDecode', () => safeDecode(text)),
          loop('safeDecode, unknown fields rejected', () => strict.safeDecode(text)),
        ],
        rounds,
      ),
    ]);
  }
}

// Keeps results alive, so that the compiler cannot drop the work.
let sink: unknown;

function loop(name: string, work: () => unknown): Contender {
  return {
    name,
    run(count) {
      for (let index = 0; index < count; index += 1) sink = work();
    },
  };
}

function print(title: string, timings: readonly Timing[]): void {
  console.log(`\n${title}`);
  for (const { name, microseconds, ratio } of timings) {
    console.log(`  ${name.padEnd(38)} ${microseconds.toFixed(3).padStart(8)} us  ${ratio.toFixed(2).padStart(6)}x`);
  }
  if (sink === undefined) throw new Error('the benchmark produced nothing');
}
