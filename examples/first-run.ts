import { defineRun, end, terminations } from 'fullstop';

const digest = defineRun({
  name: 'digest',
  limits: { steps: 3 },
  run: async (context, input: { readonly topics: readonly string[] }) => {
    const found: string[] = [];
    // Everything impure is a step: it is performed once, and its result is kept in the journal.
    for (const topic of input.topics) found.push(await context.step(`search ${topic}`, () => `news about ${topic}`));
    const check = await context.child('check', async (unit) => {
      const sound = await unit.step('count', () => found.length > 0);
      return sound ? terminations.naturalEnd() : terminations.skipped({ reason: 'nothing was found' });
    });
    return end(terminations.flowCompleted({ last: 'check' }), { found, check: check.termination.kind });
  },
});

const first = await digest.run({ topics: ['rust', 'zig', 'gleam'] });
console.log(first.termination);
console.log(first.category, '·', first.resumable.how, '·', first.nextAction);

// Nothing was lost: the run continues after the third step.
const second = await first.resume({ limits: { steps: 10 } });
console.log(second.termination, second.output);
console.log((await second.journal()).map(({ segment, key, type }) => `${segment} ${key ?? type}`).join(' | '));
