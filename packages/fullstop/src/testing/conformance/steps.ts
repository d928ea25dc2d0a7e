import { end } from '../../run/ending/body-result.js';
import { StepFailed } from '../../run/errors.js';
import type { RunContext } from '../../run/run-context.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

/** The look of a failing step to a body. */
async function failureOf(context: RunContext, key: string, fail: () => never, retry?: number): Promise<object> {
  try {
    await context.step(key, fail, retry === undefined ? {} : { retry: { attempts: retry } });
    return { failed: false };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    const { name, message, data, attempts, outcomeUnknown } = error;
    const { stack, ...known } = data;
    return { name, message, data: known, hasStack: typeof stack === 'string', attempts, outcomeUnknown };
  }
}

async function stepsOnce(world: World): Promise<void> {
  const run = world.define<{ readonly n: number }>({
    name: 'count',
    run: async (context, { n }) => {
      let sum = 0;
      for (let index = 0; index < n; index += 1)
        sum += await context.step(`add ${index}`, world.effect(`add ${index}`, index));
      return end(terminations.flowCompleted({ last: 'add' }), { sum });
    },
  });
  const result = await run.run({ n: 20 }, { engine: world.engine, runId: 'count' });
  checkKind(result.termination, 'flow_completed');
  checkEqual(result.output, { sum: 190 }, 'the output');
  checkEqual(
    world.done,
    Array.from({ length: 20 }, (_, index) => `add ${index}`),
    'the effects',
  );
  check(result.persisted, 'the ending says that it was not persisted');
  const again = await run.run({ n: 20 }, { engine: world.engine, runId: 'count' });
  checkEqual(again.output, { sum: 190 }, 'the output of a repeated start');
  checkEqual(world.done.length, 20, 'the effects after a repeated start');
}

async function memoised(world: World): Promise<void> {
  const seen: unknown[] = [];
  const run = world.define({
    name: 'memo',
    run: async (context) => {
      const value = await context.step(
        'read',
        world.effect('read', { list: [1, 'two', null], at: new Date(0), gone: undefined }),
      );
      seen.push(value);
      await context.wait({ id: 'go', type: 'input' });
      return terminations.naturalEnd();
    },
  });
  await run.run(undefined, { engine: world.engine, runId: 'memo' });
  const engine = await world.restart();
  const result = await run.resume('memo', { engine, answers: { go: { decision: 'value' } } });
  checkKind(result.termination, 'natural_end');
  checkEqual(world.done, ['read'], 'the effects');
  check(seen.length >= 2, 'the body was not replayed');
  const stored = { list: [1, 'two', null], at: '1970-01-01T00:00:00.000Z' };
  for (const value of seen) {
    checkEqual(value, stored, 'what the body sees');
    check(!('gone' in (value as object)), 'an undefined property reached the body');
  }
}

async function failuresAreValues(world: World): Promise<void> {
  const seen: object[] = [];
  const run = world.define({
    name: 'failing',
    run: async (context) => {
      const fail = (): never => {
        world.done.push('fail');
        throw Object.assign(new TypeError('no', { cause: new Error('deep') }), { code: 'ECONNRESET' });
      };
      seen.push(await failureOf(context, 'fail', fail));
      seen.push(await failureOf(context, 'retry', fail, 3));
      await context.wait({ id: 'go', type: 'input' });
      return terminations.naturalEnd();
    },
  });
  await run.run(undefined, { engine: world.engine, runId: 'failing' });
  const engine = await world.restart();
  await run.resume('failing', { engine, answers: { go: { decision: 'value' } } });
  checkEqual(world.done.length, 4, 'the attempts');
  const data = { name: 'TypeError', message: 'no', code: 'ECONNRESET' };
  const first = seen[0] as { readonly data: { readonly cause?: unknown } };
  checkEqual(
    { ...first, data: { ...first.data, cause: undefined } },
    {
      name: 'StepFailed',
      message: 'no',
      data,
      hasStack: (first as { hasStack?: boolean }).hasStack,
      attempts: 1,
      outcomeUnknown: false,
    },
    'the failure',
  );
  check((first.data.cause as { message?: string } | undefined)?.message === 'deep', 'the cause of the failure is lost');
  checkEqual(seen.at(-2), seen[0], 'the failure on replay');
  checkEqual((seen.at(-1) as { attempts: number }).attempts, 3, 'the attempts on replay');
}

async function uncaughtFailure(world: World): Promise<void> {
  const run = world.define({
    name: 'uncaught',
    run: async (context) => {
      await context.step('call', () => {
        throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
      });
      return terminations.naturalEnd();
    },
  });
  const result = await run.run(undefined, { engine: world.engine });
  const failed = checkKind(result.termination, 'failed');
  checkEqual([failed.origin, failed.errorClass, failed.error.message], ['step', 'external', 'down'], 'the ending');
  checkEqual([result.category, result.open], ['retryable', true], 'category and openness');
}

async function notJson(world: World): Promise<void> {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const values: readonly (readonly [unknown, string])[] = [
    [{ a: [1n] }, 'a[0]'],
    [{ a: { f: () => 1 } }, 'a.f'],
    [{ m: new Map([[1, 2]]) }, 'm'],
    [{ s: [0, new Set([1])] }, 's[1]'],
    [{ n: Number.NaN }, 'n'],
    [{ i: { j: Number.POSITIVE_INFINITY } }, 'i.j'],
    [{ y: Symbol('y') }, 'y'],
    [cycle, 'self'],
  ];
  for (const [index, [value, path]] of values.entries()) {
    const run = world.define({
      name: 'not-json',
      run: async (context) => {
        await context.step('make', () => value);
        return terminations.naturalEnd();
      },
    });
    const result = await run.run(undefined, { engine: world.engine, runId: `not-json-${index}` });
    const { error } = checkKind(result.termination, 'failed');
    checkEqual(error.code, 'NOT_JSON', 'the code');
    check(error.message.includes(path), `expected the path ${path} in: ${error.message}`);
  }
}

async function idempotencyKeys(world: World): Promise<void> {
  const keys: string[] = [];
  const run = world.define({
    name: 'keys',
    run: async (context) => {
      await context.step('first', ({ idempotencyKey }) => void keys.push(idempotencyKey));
      await context.step('second', ({ idempotencyKey }) => void keys.push(idempotencyKey));
      return terminations.naturalEnd();
    },
  });
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 });
  await startOnly(engine, run, 'keys');
  await executeUntilLost(engine, run, 'keys');
  await executeUntilLost(engine, run, 'keys');
  checkEqual(keys.length, 3, 'the effects: a step whose outcome was lost is performed again');
  checkEqual(keys[1], keys[2], 'the key of the repeated step');
  check(keys[0] !== keys[1], 'two steps share a key');
}

/** A body that returns while a step which it does not wait for has ended, or is about to: at each moment of that, up to its commit. */
async function endsWithItsUnit(world: World): Promise<void> {
  const engine = world.faulty();
  for (let turns = 0; turns < 12; turns += 1) {
    const runId = `together-${turns}`;
    const run = world.define({
      name: 'together',
      run: async (context) => {
        let perform: () => void = () => undefined;
        const performed = new Promise<void>((resolve) => {
          perform = resolve;
        });
        const paid = context.step('paid', ({ charge }) => {
          charge({ inputTokens: 60, outputTokens: 40 });
          perform();
        });
        await Promise.race([performed, paid]);
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        return terminations.naturalEnd();
      },
    });
    const { usage } = await run.run(undefined, { engine, runId });
    const outcomes = (await world.journal(runId)).filter(({ type }) => type === 'step_ended');
    checkEqual([outcomes.length, usage.totalTokens], [1, 100], `outcomes and tokens after ${turns} turns`);
  }
}

export const stepCases: readonly ConformanceCase[] = [
  conformanceCase('performs each step once and returns its results', stepsOnce),
  conformanceCase('returns the journalled results to a body after a restart, normalised the first time too', memoised),
  conformanceCase('journals a failing step as a value that is the same on replay', failuresAreValues),
  conformanceCase('ends as failed when the body does not catch the failure of a step', uncaughtFailure),
  conformanceCase('refuses what JSON cannot hold with its path, the first time', notJson),
  conformanceCase('passes a step the same idempotency key after a crash', idempotencyKeys),
  conformanceCase('writes one outcome of a step that ends together with its unit, and its cost once', endsWithItsUnit),
];
