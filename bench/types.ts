import { checkStages, stagesSource } from './check-stages.js';
import { median } from './interleave.js';

const stages = 50;
const rounds = 7;

/** The time that TypeScript 5.9 takes to check a pipeline whose stages read one another, over one without stages. */
export function benchTypes(): void {
  console.log(`\ntypes: ${stages} stages that read one another in TypeScript 5.9 (of ${rounds} checks)`);
  const empty = checkStages(stagesSource(0));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = checkStages(stagesSource(0), empty.program);
    const many = checkStages(stagesSource(stages), empty.program);
    if (many.errors.length > 0) throw new Error(many.errors.join('\n'));
    times.push(many.milliseconds - bare.milliseconds);
  }
  const [middle, best] = [median(times), Math.min(...times)].map((value) => value.toFixed(0));
  console.log(`  median ${middle} ms, best ${best} ms; less than 1,000 are wanted`);
}
