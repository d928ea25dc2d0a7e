import { memoryEngine } from 'fullstop';
import { type Pipeline, pipeline } from 'fullstop/pipeline';
import { median } from './interleave.js';

const stages = 1000;
const rounds = 30;

type LongPipeline = Pipeline<undefined, object, unknown>;

/** A pipeline of that many functions that do next to nothing. */
export function longPipeline(count: number): LongPipeline {
  let flow = pipeline('long') as unknown as LongPipeline;
  for (let index = 0; index < count; index += 1) {
    // Names that only exist at run time are beyond the types.
    flow = flow.stage(`s${index}` as never, (() => index) as never) as LongPipeline;
  }
  return flow;
}

/** The cost of a stage beyond its work, from the start of the run to its result with all stages. */
export async function benchPipeline(): Promise<void> {
  console.log(`\npipeline: ${stages} stages of trivial functions on the memory engine (of ${rounds} runs)`);
  const flow = longPipeline(stages);
  for (let warm = 0; warm < 5; warm += 1) await flow.run(undefined, { engine: memoryEngine() });
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const result = await flow.run(undefined, { engine: memoryEngine() });
    times.push(((performance.now() - start) * 1000) / stages);
    if (result.stages.length !== stages || result.outcome !== 'succeeded') throw new Error('the pipeline went wrong');
  }
  const [middle, best] = [median(times), Math.min(...times)].map((value) => value.toFixed(2));
  console.log(`  median ${middle} us, best ${best} us per stage; at most 15 are wanted`);
}
