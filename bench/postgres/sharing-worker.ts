import { defineRun, terminations } from 'fullstop';
import { postgresEngine } from 'fullstop/engines/postgres';
import { result } from './line.js';
import { crews, stepsOfEach } from './sharing-crews.js';

// A separate program: a worker that executes the runs of the crews that it is part of, until it is killed.

const [url = '', ...names] = process.argv.slice(2);
const engine = postgresEngine({ url });
for (const { name, concurrency } of crews) {
  if (!names.includes(name)) continue;
  const work = defineRun({
    name,
    run: async (context) => {
      for (let step = 0; step < stepsOfEach; step += 1) await context.step('work', () => result);
      return terminations.naturalEnd();
    },
  });
  engine.worker([work], { concurrency });
}
await engine.list({ limit: 1 });
process.send?.('ready');
