import { defineRun, end, terminations } from 'fullstop';
import { dbosEngine } from 'fullstop/engines/dbos';
import { dispatchSchema } from './dispatched.js';
import { result } from './line.js';

// A separate program: a worker that DBOS dispatches to, until it is killed. The times of its steps are its output.

const dispatched = defineRun({
  name: 'dispatched',
  run: async (context, { steps }: { readonly steps: number }) => {
    const marks: number[] = [];
    for (let step = 0; step < steps; step += 1) {
      marks.push(performance.now());
      await context.step('work', () => result);
    }
    marks.push(performance.now());
    const times = marks.slice(1).map((mark, index) => mark - (marks[index] ?? Number.NaN));
    return end(terminations.naturalEnd(), { times });
  },
});

const engine = dbosEngine({ url: process.argv[2] ?? '', dbosSchema: dispatchSchema });
engine.worker([dispatched], { concurrency: 50 });
await engine.list({ limit: 1 });
process.send?.('ready');
