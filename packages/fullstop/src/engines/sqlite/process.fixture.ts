import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { sqliteEngine } from './sqlite-engine.js';

// A program of its own, for tests with several processes: a worker, or one that only starts and answers.

const [file = '', role = '', count = '0'] = process.argv.slice(2);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Works forever at its second step in a process that is to be killed, and goes on elsewhere. */
const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => process.pid);
    await context.step('second', async () => {
      say('in the second step');
      if (role === 'stuck') await new Promise(() => undefined);
      return process.pid;
    });
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first } });
  },
});

const asking = defineRun({
  name: 'asking',
  run: async (context) => {
    const answer = await context.wait({ id: 'ok', type: 'approval', tool: 'go' });
    return terminations.custom({ reason: answer.by ?? 'nobody', category: 'success' });
  },
});

/** Stops at its limit, and takes a while once it may go on. */
const limited = defineRun({
  name: 'limited',
  limits: { steps: 1 },
  run: async (context) => {
    await context.step('first', () => 1);
    await context.step('second', () => new Promise((resolve) => setTimeout(resolve, 2000)));
    return terminations.naturalEnd();
  },
});

const roles: Readonly<Record<string, () => Promise<void>>> = {
  /** A worker that never finishes. */
  stuck: async () => {
    sqliteEngine(file).worker([stubborn]);
    await new Promise(() => undefined);
  },
  /** Writes many runs at once, in competition with others. */
  writer: async () => {
    const engine = sqliteEngine(file);
    const runs = Array.from({ length: Number(count) }, (_, index) =>
      stubborn.run(undefined, { engine, runId: `${process.pid}-${index}` }),
    );
    const endings = await Promise.all(runs);
    say(`${endings.filter(({ persisted }) => persisted).length} persisted`);
    await engine.close();
  },
  /** Resumes runs at the same time as others, once there is one that says go. */
  resumer: async () => {
    const engine = sqliteEngine(file);
    const by = `process ${process.pid}`;
    say('ready');
    while ((await engine.summary('go')) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const resumes = Array.from({ length: Number(count) }, (_, index) =>
      limited.resume(`run ${index}`, { engine, by, limits: { steps: 9 } }).then(
        ({ termination }) => `run ${index}: ${termination.kind} by ${by}`,
        ({ code, message }) => `run ${index}: ${code} ${message}`,
      ),
    );
    for (const outcome of await Promise.all(resumes)) say(outcome);
    await engine.close();
  },
  asker: async () => {
    const engine = sqliteEngine(file);
    const worker = engine.worker([asking]);
    await engine.start({ runId: 'question', name: 'asking', version: '1' });
    const ending = await engine.waitForEnding('question', 2);
    say(`ended by ${ending.termination.kind === 'custom' ? ending.termination.reason : ending.termination.kind}`);
    await worker.stop();
    await engine.close();
  },
};

await roles[role]?.();
