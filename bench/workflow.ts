import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadWorkflow, type Workflow } from 'fullstop/workflow';
import { median } from './interleave.js';

const sizes = [100, 1_000, 10_000] as const;
const rounds = 9;
const coldRounds = 11;

/** The cost of a trivial step of a workflow: one template that counts, one condition that loops back. */
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
    console.log(`  ${String(size).padStart(6)} steps  ${middle} us per step  (best ${best} us; at most 15)`);
  }
  validateCold();
}

const binary = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
const examples = resolve(import.meta.dirname, '../examples/workflows');

/** The time that checking the largest example takes in a fresh process. */
function validateCold(): void {
  const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  const [largest = ''] = files.sort((left, right) => sizeOf(right) - sizeOf(left));
  const [bare, ours]: [number[], number[]] = [[], []];
  for (let round = 0; round < coldRounds; round += 1) {
    bare.push(cold(['-e', '0']));
    ours.push(cold([binary, 'validate', join(examples, largest)]));
  }
  const [base, own] = [median(bare), median(ours)];
  console.log(
    `  cold validate of ${largest} (${sizeOf(largest)} bytes) ${own.toFixed(0)} ms, node -e 0 ${base.toFixed(0)} ms: ${(own / base).toFixed(2)}x (below 3.5x; median of ${coldRounds}, interleaved)`,
  );
}

function sizeOf(name: string): number {
  return statSync(join(examples, name)).size;
}

function cold(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
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
