import { defineRun, terminations } from 'fullstop';
import { median } from './interleave.js';

const sizes = [100, 1_000, 10_000, 100_000] as const;
const rounds = 9;

// Measured inside the body: starting and ending a run is reported separately.
let inBody = 0;

const stepper = defineRun({
  name: 'stepper',
  run: async (context, count: number) => {
    const start = performance.now();
    for (let index = 0; index < count; index += 1) await context.step('work', () => work(index));
    inBody = performance.now() - start;
    return terminations.naturalEnd();
  },
});

/** The cost of a journalled step on the memory engine, compared with a bare await of the same function. */
export async function benchMemory(): Promise<void> {
  console.log('\nmemory engine: one step over a bare await of the same function (median and best of 9, interleaved)');
  for (const count of sizes) {
    await timed(() => stepper.run(count));
    const over: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      let extra = 0;
      // Short runs are repeated, or the clock would be too coarse for them.
      const repeats = Math.max(1, 10_000 / count);
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const bare = await timed(() => bareLoop(count));
        await stepper.run(count);
        extra += inBody - bare;
      }
      over.push((extra * 1000) / (count * repeats));
    }
    const [middle, best] = [median(over), Math.min(...over)].map((value) => value.toFixed(2).padStart(6));
    console.log(`  ${String(count).padStart(7)} steps  ${middle} us  (best ${best} us)`);
  }
  const empty: number[] = [];
  for (let round = 0; round < 500; round += 1) empty.push((await timed(() => stepper.run(0))) * 1000);
  console.log(`  a run without steps, from start to ending: ${median(empty).toFixed(0)} us`);
}

async function work(index: number): Promise<number> {
  return index * 2;
}

async function bareLoop(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await work(index);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
