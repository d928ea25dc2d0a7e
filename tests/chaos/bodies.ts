import { setTimeout as sleep } from 'node:timers/promises';
import { defineRun, type RunDefinition } from '../../packages/fullstop/src/run/define-run.js';
import { end } from '../../packages/fullstop/src/run/ending/body-result.js';
import { StepFailed } from '../../packages/fullstop/src/run/errors.js';
import { drive } from '../../packages/fullstop/src/run/machine/drive.js';
import type { Machine } from '../../packages/fullstop/src/run/machine/machine.js';
import type {
  RunContext,
  SpawnedRun,
  StepAttempt,
  StepOptions,
  UnitResult,
} from '../../packages/fullstop/src/run/run-context.js';
import type { JsonValue } from '../../packages/fullstop/src/termination/json.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import type { EffectLog, Mark } from './effect-log.js';

/** The bodies that are killed: between them they do everything that a body can do. */
export interface ChaosInput {
  readonly size: number;
  readonly deadline: number;
}

export type ChaosRun = RunDefinition<ChaosInput, never, JsonValue>;

/** Steps that leave their marks in the log. */
class Marked {
  readonly #log: EffectLog;

  constructor(log: EffectLog) {
    this.#log = log;
  }

  async step(context: RunContext, key: string, options: StepOptions = {}): Promise<void> {
    const mark = await context.step(key, (attempt) => this.#perform(attempt), options);
    this.saw(mark);
  }

  /** A step that fails for good, which the body takes note of. */
  async failing(context: RunContext, key: string): Promise<void> {
    try {
      await context.step(key, async (attempt) => {
        const { place, id } = await this.#perform(attempt);
        throw new Error(`${id} ${place}`);
      });
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      const [id = '', ...place] = error.message.split(' ');
      this.saw({ id, place: place.join(' ') });
    }
  }

  record(context: RunContext, key: string): Promise<Mark> {
    return context.record(key, () => this.#log.effect(`${context.runId}:${context.scope}:${key}`));
  }

  undo(context: RunContext, key: string): void {
    context.onCancel(key, (attempt) => this.#perform(attempt));
  }

  async #perform({ idempotencyKey }: StepAttempt): Promise<Mark> {
    const mark = this.#log.effect(idempotencyKey);
    await sleep(Math.random() * 12);
    return mark;
  }

  /** Writes down a result that is in the journal for certain. */
  saw({ place, id }: Mark): void {
    this.#log.write({ type: 'seen', place, id });
  }
}

/** Steps, failing ones among them, and callbacks that judge them. */
async function steps(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  let verdict: Mark | undefined;
  for (let index = 0; index < size; index += 1) {
    await marked.step(context, `step ${index}`);
    // A verdict rides with the next commit, so it is certain only after that.
    if (verdict !== undefined) marked.saw(verdict);
    verdict = await marked.record(context, `verdict ${index}`);
    if (index % 3 === 2) await marked.failing(context, `failing ${index}`);
  }
}

async function once(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  for (let index = 0; index < size; index += 1) {
    await marked.step(context, `once ${index}`, { once: true });
    await marked.step(context, `between ${index}`);
  }
}

/** Questions, every other one with a deadline that may pass. */
async function waits(marked: Marked, context: RunContext, { size, deadline }: ChaosInput): Promise<void> {
  for (let index = 0; index < size; index += 1) {
    await marked.step(context, `before ${index}`);
    const onExpiry = (['approve', 'reject', 'escalate'] as const)[index % 3] ?? 'reject';
    const escalation = { to: 'boss', deadline: deadline + 60_000 };
    await context.wait({
      id: `ask ${index}`,
      type: 'approval',
      ...(index % 2 === 1 && { deadline, onExpiry, escalation }),
    });
  }
  await marked.step(context, 'after');
}

/** Units in units, side by side, each with a question of its own. */
async function units(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  const unit = (name: string): Promise<unknown> =>
    context.child(name, async (inner) => {
      await marked.step(inner, 'first');
      await inner.child('deep', async (deep) => {
        await Promise.all([marked.step(deep, 'left'), marked.step(deep, 'right'), deep.sleep('nap', 10)]);
        return terminations.naturalEnd();
      });
      await inner.wait({ id: `${inner.scope} ok`, type: 'gate' });
      return terminations.naturalEnd();
    });
  await Promise.all(Array.from({ length: size }, () => unit('unit')));
  await marked.step(context, 'last');
}

/** A sleep that lets go of the run, short ones, and a race. */
async function sleeps(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  for (let index = 0; index < size; index += 1) {
    await marked.step(context, `awake ${index}`);
    await context.sleep(`sleep ${index}`, index === 0 ? 1200 : 30);
  }
  const contest = marked.step(context, 'contest').then(() => 'contest');
  const winner = await Promise.race([context.sleep('limit', 10).then(() => 'limit'), contest]);
  await marked.step(context, `after ${winner}`);
}

/** Rounds of units, of which one asks and one fails; every other round stops at that failure. */
async function batches(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  const names = ['works', 'asks', 'fails', 'queues'];
  const machine: Machine<readonly string[], string, undefined> = {
    init: () => [],
    decide(seen) {
      for (let round = 0; round < size; round += 1) {
        const effects = names.map((name) => ({ type: 'unit', key: `${name} ${round}`, plan: name }) as const);
        if (effects.every(({ key }) => !seen.includes(key)))
          return { type: 'perform', effects, concurrency: 3, failFast: round % 2 === 1 };
      }
      if (seen.length < size * names.length) return { type: 'wait' };
      return { type: 'end', termination: terminations.naturalEnd() };
    },
    apply: (seen, { key }) => [...seen, key],
  };
  const unit = async (name: string, inner: RunContext): Promise<UnitResult> => {
    await marked.step(inner, 'first');
    if (name === 'asks') await inner.wait({ id: `${inner.scope} ok`, type: 'gate' });
    if (name !== 'fails') await marked.step(inner, 'second');
    const error = { name: 'Error', message: 'on purpose' };
    const failed = terminations.failed({ error, origin: 'stage', errorClass: 'unknown' });
    return { termination: name === 'fails' ? failed : terminations.naturalEnd(), also: [] };
  };
  await drive({ machine, performer: { unit }, context, input: undefined });
}

/** Things that are undone when the run is cancelled. */
async function undoing(marked: Marked, context: RunContext, { size }: ChaosInput): Promise<void> {
  for (let index = 0; index < size; index += 1) {
    await marked.step(context, `book ${index}`);
    marked.undo(context, `unbook ${index}`);
  }
  await context.wait({ id: 'keep it', type: 'approval' });
  await marked.step(context, 'keep');
}

/** The bodies as one version of a program has them; which one ended a run stands in its output. */
export function chaosRuns(log: EffectLog, version = '1'): readonly ChaosRun[] {
  const marked = new Marked(log);
  const define = (name: string, body: (context: RunContext, input: ChaosInput) => Promise<void>): ChaosRun =>
    defineRun({
      name,
      version,
      graceMs: 2000,
      onEnding: ['notice'],
      run: async (context, input: ChaosInput) => {
        await body(context, input);
        return end(terminations.flowCompleted({ last: name }), { size: input.size, version });
      },
    }) as unknown as ChaosRun;
  const simple = Object.entries({ steps, once, waits, units, sleeps, batches, undoing }).map(([name, body]) =>
    define(name, (context, input) => body(marked, context, input)),
  );
  const kids = simple.filter(({ name }) => name === 'steps' || name === 'once');
  const spawning = define('spawning', async (context, input) => {
    const spawned: SpawnedRun[] = [];
    for (const kid of kids) spawned.push(await context.spawn(kid, { ...input, size: 1 }));
    await marked.step(context, 'meanwhile');
    await Promise.all(spawned.map((each) => each.ending()));
  });
  return [...simple, spawning];
}
