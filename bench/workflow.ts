import { loadWorkflow, type Workflow } from 'fullstop/workflow';
import { median } from './interleave.js';

const sizes = [100, 1_000, 10_000] as const;
const rounds = 9;

/** What a trivial step of a workflow costs: one template that counts, one condition that loops back. */
export async function benchWorkflow(): Promise<void> {
  console.log('\nworkflow: one step with one template and one condition, in memory (median and best of 9)');
  for (const size of sizes) {
    const workflow = counting(size);
    await run(workflow, size);
    const each: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Short runs are repeated, or the start of a run would be most of what is measured.
      const repeats = Math.max(1, 2_000 / size);
      let spent = 0;
      for (let repeat = 0; repeat < repeats; repeat += 1) spent += await run(workflow, size);
      each.push((spent * 1000) / (size * repeats));
    }
    const [middle, best] = [median(each), Math.min(...each)].map((value) => value.toFixed(2).padStart(6));
    console.log(`  ${String(size).padStart(6)} steps  ${middle} us per step  (best ${best} us)`);
  }
}

/** A workflow that counts to a number, one step at a time. */
function counting(size: number): Workflow {
  return loadWorkflow('counting.yaml', {
    text: `
workflow: {name: counting, entry_point: first}
agents:
  - {name: first, type: set, values: {n: "1"}, routes: [{to: count}]}
  - name: count
    type: set
    values: {n: "{{ (count.output.n if count is defined else first.output.n) + 1 }}"}
    routes:
      - {to: count, when: "n < ${size}"}
      - {to: $end}
output: {n: "{{ count.output.n }}"}
`,
  });
}

async function run(workflow: Workflow, size: number): Promise<number> {
  const start = performance.now();
  const { output } = await workflow.run({}, { maxIterations: size + 1 });
  const spent = performance.now() - start;
  if (JSON.stringify(output) !== JSON.stringify({ n: size })) throw new Error(`counted to ${JSON.stringify(output)}`);
  return spent;
}
