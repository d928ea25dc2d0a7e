import { defineRun, terminations } from 'fullstop';
import { openStore } from './open-store.js';

// A separate program: it is in its second step until it is killed or frozen.

const [url = '', leaseMs = '', store = ''] = process.argv.slice(2);

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

openStore(store, url, Number(leaseMs)).worker([stuck]);
