import { AsyncLocalStorage } from 'node:async_hooks';
import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../packages/fullstop/src/engines/port/clock.js';
import type { RunnableDefinition, RunSession } from '../../packages/fullstop/src/engines/port/engine.js';
import { sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import type { RunContext, StepOptions } from '../../packages/fullstop/src/run/run-context.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import type { FrozenLine } from './frozen-owners.js';

// A process that executes runs and is frozen now and then. Its wall clock may jump by an hour; its steady clock does not.

const [file = '', logFile = '', id = '', lease = '0', jumps = '', seed = '0'] = process.argv.slice(2);
const log = openSync(logFile, 'a');
const random = seededRandom(Number(seed) + Number(id.replace(/\D/g, '')));
/** When an execution was told that the run is still its own, by the steady clock: each answer is for one effect. */
const checks = new AsyncLocalStorage<number[]>();
let executions = 0;
let offset = 0;

function write(line: FrozenLine): void {
  writeSync(log, `${JSON.stringify(line)}\n`);
}

const hour = 3_600_000;
const clock: Clock = {
  now: () => Date.now() + offset,
  callAt(instant, callback) {
    const timer = setTimeout(callback, Math.max(instant - Date.now() - offset, 0));
    return () => clearTimeout(timer);
  },
};
if (jumps === 'jumps')
  setInterval(() => {
    offset = (Math.floor(random() * 3) - 1) * hour;
  }, 50);

const mails = defineRun({
  name: 'mails',
  run: async (context, { size }: { readonly size: number }) => {
    executions += 1;
    const execution = `${id}-${executions}`;
    const send = (key: string, options: StepOptions = {}): Promise<number> =>
      context.step(key, (attempt) => sendMail(context, { execution, key, options, attempt: attempt.attempt }), options);
    for (let turn = 0; turn < size; turn += 1) {
      await Promise.all([send(`left-${turn}`), send(`right-${turn}`)]);
      if (jumps !== 'jumps') await context.sleep(`nap-${turn}`, 30);
      await send(`after-nap-${turn}`);
      await send(`again-${turn}`, { retry: { attempts: 2, initialDelayMs: 30 } });
      await send(`once-${turn}`, { once: true });
    }
    return terminations.naturalEnd();
  },
});

interface Mail {
  readonly execution: string;
  readonly key: string;
  readonly options: StepOptions;
  readonly attempt: number;
}

async function sendMail({ runId }: RunContext, { execution, key, options, attempt }: Mail): Promise<number> {
  const checkedAt = checks.getStore()?.pop();
  const sinceCheckMs = checkedAt === undefined ? null : performance.now() - checkedAt;
  write({ runId, execution, key, isOnce: options.once === true, sinceCheckMs });
  await sleep(random() * 20);
  if (options.retry !== undefined && attempt === 1) throw new Error('Try again.');
  return attempt;
}

/** Only this process can execute it: its ending shows that the process is at work again. */
const probe = defineRun({
  name: `probe-${id}`,
  run: async (context) =>
    (await context.step('alive', () => true)) ? terminations.naturalEnd() : terminations.naturalEnd(),
});

/** Notes every answer to the question whether the run is still this process's. */
function noting(definition: RunnableDefinition): RunnableDefinition {
  return {
    ...definition,
    execute: (session, ...rest) => {
      const times: number[] = [];
      const hold = session.hold?.bind(session);
      const note = (): undefined => {
        times.push(performance.now());
      };
      (session as { hold: RunSession['hold'] }).hold = () => {
        const holding = hold?.();
        return holding === undefined ? note() : holding.then(note);
      };
      return checks.run(times, () => definition.execute(session, ...rest));
    },
  };
}

const engine = sqliteEngine(file, { pollMs: 20, leaseMs: Number(lease), clock });
engine.worker([noting(mails), probe], { concurrency: 4, workerId: id });
