import { defineRun, terminations } from 'fullstop';
import { postgresEngine } from 'fullstop/engines/postgres';

// A separate program: it is in its second step until it is killed or frozen.

const [url = '', leaseMs = ''] = process.argv.slice(2);

const stuck = defineRun({
  name: 'stuck',
  run: async (context) => {
    await context.step('first', () => 1);
    await context.step('second', async () => {
      process.send?.('in the second step');
      await new Promise(() => undefined);
    });
    return terminations.naturalEnd();
  },
});

postgresEngine({ url, leaseMs: Number(leaseMs) }).worker([stuck]);
