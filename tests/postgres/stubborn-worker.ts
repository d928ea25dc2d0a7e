import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';

// A program of its own: a worker that is stuck in its second step until it is killed, frozen or told to continue. SIGTERM lets it finish.

const [url = '', schema = '', leaseMs = '0', scheduler = ''] = process.argv.slice(2);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Settles when a line arrives. */
const told = new Promise<void>((resolve) => process.stdin.once('data', () => resolve()));

const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => process.pid);
    const second = await context.step('second', async () => {
      say('in the second step');
      await told;
      return process.pid;
    });
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});

const { execute } = stubborn;
const watched = {
  ...stubborn,
  execute: async (...given: Parameters<typeof execute>): Promise<void> => {
    const [session] = given;
    session.onFenced(() => say('fenced'));
    await execute.apply(stubborn, given);
    say('let go');
  },
};

const options = { url, schema, leaseMs: Number(leaseMs) };
const engine = scheduler === 'dbos' ? dbosEngine({ ...options, queuePollMs: 20 }) : postgresEngine(options);
const worker = engine.worker([watched]);
process.once('SIGTERM', async () => {
  say('draining');
  await worker.stop(60_000);
  await engine.close();
  say('drained');
  process.exit(0);
});
