import { defineRun } from '../../run/define-run.js';
import type { FullstopError } from '../../termination/errors/fullstop-error.js';
import { terminations } from '../../termination/terminations.js';
import type { Engine } from '../port/engine.js';
import { sqliteEngine } from './sqlite-engine.js';

// A program of its own, for tests with several processes: a worker, or one that only starts and answers.

const [file = '', role = '', count = '0', self = '', other = ''] = process.argv.slice(2);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Works forever at its second step in a process that is to be killed, and continues elsewhere. */
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

/** Never yields at its second step, once the first is stored. */
function wedging(engine: Engine) {
  return defineRun({
    name: 'wedging',
    run: async (context) => {
      await context.step('first', () => 1);
      await context.step('second', async () => {
        while ((await engine.journal(context.runId, { types: ['step_ended'] })).length === 0)
          await new Promise((resolve) => setTimeout(resolve, 5));
        say('wedged');
        for (;;);
      });
      return terminations.naturalEnd();
    },
  });
}

const asking = defineRun({
  name: 'asking',
  run: async (context) => {
    const answer = await context.wait({ id: 'ok', type: 'approval', tool: 'go' });
    return terminations.custom({ reason: answer.by ?? 'nobody', category: 'success' });
  },
});

/** Stops at its limit, and once it may continue does not end before `mayEnd`. */
function limited(mayEnd: () => Promise<void>) {
  return defineRun({
    name: 'limited',
    limits: { steps: 1 },
    run: async (context) => {
      await context.step('first', () => 1);
      await context.step('second', mayEnd);
      return terminations.naturalEnd();
    },
  });
}

async function until(engine: Engine, runId: string): Promise<void> {
  while ((await engine.summary(runId)) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
}

const roles: Readonly<Record<string, () => Promise<void>>> = {
  /** A worker that never finishes, with a lease of so many milliseconds. */
  stuck: async () => {
    sqliteEngine(file, { leaseMs: Number(count) }).worker([stubborn]);
    await new Promise(() => undefined);
  },
  /** A worker whose step never yields, so that it cannot show signs of life, with a lease of so many milliseconds. */
  wedged: async () => {
    const engine = sqliteEngine(file, { leaseMs: Number(count) });
    engine.worker([wedging(engine)]);
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
  /**
   * Resumes runs at the same time as another process, once there is one that says go. No run ends before both
   * processes know of every run whether they may execute it, so that the later one meets a segment that is still running.
   */
  resumer: async () => {
    const engine = sqliteEngine(file);
    const by = `process ${process.pid}`;
    let undecided = Number(count);
    const decide = async () => {
      undecided -= 1;
      if (undecided === 0) await engine.start({ runId: self, name: 'decided', version: '1' });
    };
    const run = limited(() => until(engine, other));
    say('ready');
    await until(engine, 'go');
    const resumes = Array.from({ length: Number(count) }, async (_, index) => {
      let decided: Promise<void> | undefined;
      const onStart = () => {
        decided = decide();
      };
      try {
        const { termination } = await run.resume(`run ${index}`, { engine, by, limits: { steps: 9 }, onStart });
        return `run ${index}: ${termination.kind} by ${by}`;
      } catch (error) {
        await (decided ?? decide());
        const { code, message } = error as FullstopError;
        return `run ${index}: ${code} ${message}`;
      }
    });
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
