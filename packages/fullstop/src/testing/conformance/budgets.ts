import { end } from '../../run/ending/body-result.js';
import { StepFailed } from '../../run/errors.js';
import type { RunContext, StepAttempt } from '../../run/run-context.js';
import type { JsonValue } from '../../termination/json.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent, checkRefused } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

/** A step that costs 100 tokens and a cent. */
function call(unit: RunContext, key: string, world: World): Promise<unknown> {
  return unit.step(key, ({ charge }: StepAttempt) => {
    world.done.push(key);
    charge({ inputTokens: 60, outputTokens: 40, costUsd: 0.01 });
  });
}

async function limitsStop(world: World): Promise<void> {
  const { engine } = world;
  const limits = [
    [{ steps: 3 }, { kind: 'max_iterations', limit: 3, used: 3, unit: 'step' }],
    [{ tokens: 250 }, { kind: 'token_budget', limit: 250, used: 300 }],
    [{ costUsd: 0.03 }, { kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.03 }],
  ] as const;
  for (const [index, [limit, termination]] of limits.entries()) {
    world.done.length = 0;
    const run = world.define<{ readonly calls: number }>({
      name: 'spender',
      limits: limit,
      run: async (context, { calls }) => {
        for (let count = 0; count < calls; count += 1) await call(context, `call ${count}`, world);
        return terminations.naturalEnd();
      },
    });
    const stopped = await run.run({ calls: 10 }, { engine, runId: `stop-${index}` });
    checkEqual(stopped.termination, termination, 'the ending');
    checkEqual(
      [stopped.category, stopped.usage.totalTokens, world.done.length],
      ['capacity', 300, 3],
      'category, tokens, calls',
    );
    const reached = await run.run({ calls: 3 }, { engine, runId: `goal-${index}` });
    checkEqual(reached.termination, { kind: 'natural_end' }, 'a goal that was reached together with the limit');
  }
}

/** A unit stopped by its own limit ends with it; one stopped by an ancestor's limit is cancelled by its parent. */
async function nested(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define<{ readonly own: number; readonly outer: number }>({
    name: 'nested',
    limits: { tokens: 700 },
    run: async (context, { own, outer }) => {
      await call(context, 'root', world);
      const middle = await context.child(
        'middle',
        async (unit) => {
          const inner = await unit.child(
            'inner',
            async (deep) => {
              for (let count = 0; count < 20; count += 1) await call(deep, `deep ${count}`, world);
              return terminations.naturalEnd();
            },
            { limits: { tokens: own } },
          );
          return end(terminations.naturalEnd(), { inner: inner.termination as unknown as JsonValue });
        },
        { limits: { tokens: outer } },
      );
      return end(terminations.naturalEnd(), {
        middle: middle.termination as unknown as JsonValue,
        output: middle.output ?? null,
      });
    },
  });
  const own = await run.run({ own: 200, outer: 500 }, { engine, runId: 'own' });
  const byInner = { kind: 'token_budget', limit: 200, used: 200 };
  checkEqual(own.output, { middle: { kind: 'natural_end' }, output: { inner: byInner } }, 'stopped by its own limit');
  const middle = await run.run({ own: 1000, outer: 300 }, { engine, runId: 'middle' });
  const byMiddle = { kind: 'token_budget', limit: 300, used: 300 };
  checkEqual(middle.output, { middle: byMiddle, output: null }, 'stopped by the unit around it');
  checkEqual(
    await endingsOf(world, 'middle'),
    [{ kind: 'cancelled', by: 'parent', cause: byMiddle }, byMiddle],
    'the endings inside',
  );
  const root = await run.run({ own: 1000, outer: 1000 }, { engine, runId: 'root' });
  const byRoot = { kind: 'token_budget', limit: 700, used: 700 };
  checkEqual(root.termination, byRoot, 'stopped by the run');
  const stopped = { kind: 'cancelled', by: 'parent', cause: byRoot };
  checkEqual(await endingsOf(world, 'root'), [stopped, stopped], 'the endings inside');
}

async function endingsOf(world: World, runId: string): Promise<readonly unknown[]> {
  return (await world.journal(runId)).flatMap((entry) => (entry.type === 'unit_ended' ? [entry.data.termination] : []));
}

/** The account of every unit is the sum over the entries under it, however often the run was dropped and replayed. */
async function accounts(world: World): Promise<void> {
  const seen: Record<string, unknown> = {};
  const look = (unit: RunContext): void => {
    const { usage, costUsd, steps } = unit.ledger;
    seen[unit.scope] = { tokens: usage.totalTokens, cents: Math.round((costUsd ?? 0) * 100), steps };
  };
  const run = world.define({
    name: 'accounts',
    run: async (context) => {
      await call(context, 'one', world);
      await Promise.all(
        ['a', 'b'].map((name) =>
          context.child(name, async (unit) => {
            await call(unit, `${name} 1`, world);
            await unit.child('c', async (deep) => {
              await call(deep, `${name} 2`, world);
              look(deep);
              return terminations.naturalEnd();
            });
            look(unit);
            return terminations.naturalEnd();
          }),
        ),
      );
      await call(context, 'two', world);
      look(context);
      return terminations.naturalEnd();
    },
  });
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 5 });
  await startOnly(engine, run, 'accounts');
  await executeUntilLost(engine, run, 'accounts');
  await executeUntilLost(engine, run, 'accounts');
  const of = (steps: number): object => ({ tokens: 100 * steps, cents: steps, steps });
  checkEqual(seen, { '': of(6), a: of(2), 'a/c': of(1), b: of(2), 'b/c': of(1) }, 'the accounts');
  checkEqual((await engine.ending('accounts'))?.usage.totalTokens, 600, 'the tokens in the ending');
}

/** A reservation counts until it is booked, so calls in flight together cannot overshoot by more than their inputs. */
async function reservations(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'reserving',
    limits: { tokens: 350 },
    run: async (context) => {
      await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          context.step(
            `call ${index}`,
            async ({ charge }) => {
              world.done.push(`call ${index}`);
              await clock.sleep(10);
              charge({ inputTokens: 20, outputTokens: 80, costUsd: 0 });
            },
            { reserve: { outputTokens: 100 } },
          ),
        ),
      );
      return terminations.naturalEnd();
    },
  });
  const result = await run.run(undefined, { engine, runId: 'reserving' });
  checkKind(result.termination, 'token_budget');
  check(world.done.length <= 3, `${world.done.length} calls were in flight, but there was room for 3`);
}

async function unknownPrice(world: World): Promise<void> {
  const run = world.define({
    name: 'unpriced',
    run: async (context) => {
      await context.step('free', ({ charge }) => charge({ counters: { toolCalls: 1 } }));
      await context.step('unpriced', ({ charge }) => charge({ inputTokens: 5, estimated: true }));
      return end(terminations.naturalEnd(), { counters: context.ledger.counters, estimated: context.ledger.estimated });
    },
  });
  const result = await run.run(undefined, { engine: world.engine });
  checkEqual([result.costUsd, result.usage.totalTokens], [null, 5], 'cost and tokens');
  checkEqual(result.output, { counters: { toolCalls: 1 }, estimated: true }, 'counters and estimate');
  checkEqual((await world.engine.summary(result.runId))?.estimated, result.estimated, 'the estimate in the list');
}

/** A failed attempt costs too: the usage of all attempts of a step is booked, whatever their outcome. */
async function failedAttempts(world: World): Promise<void> {
  const run = world.define({
    name: 'retrying',
    run: async (context) => {
      await context.step(
        'call',
        ({ attempt, charge }) => {
          charge({ inputTokens: 10, costUsd: 0.5 });
          if (attempt < 3) throw new Error('again');
        },
        { retry: { attempts: 3, initialDelayMs: 10 } },
      );
      return terminations.naturalEnd();
    },
  });
  const result = await run.run(undefined, { engine: world.engine });
  checkEqual([result.usage.inputTokens, result.costUsd], [30, 1.5], 'tokens and cost');
}

async function activeTime(world: World): Promise<void> {
  const { clock } = world;
  const run = world.define<{ readonly unit: number }>({
    name: 'timed',
    limits: { timeMs: 1000 },
    run: async (context, { unit: limit }) => {
      await context.step('work', () => clock.sleep(300));
      await context.wait({ id: 'ok', type: 'input' });
      const inner = await context.child(
        'unit',
        async (unit) => {
          await unit.sleep('nap', 100);
          await unit.step('never', () => new Promise(() => undefined));
          return terminations.naturalEnd();
        },
        { limits: { timeMs: limit } },
      );
      return end(terminations.naturalEnd(), inner.termination as unknown as JsonValue);
    },
  });
  await run.run({ unit: 400 }, { engine: world.engine, runId: 'unit' });
  await clock.advance(5000);
  const answers = { ok: { decision: 'value' } } as const;
  const unit = await run.resume('unit', { engine: world.engine, answers });
  checkEqual(
    unit.output,
    { kind: 'time_budget', limitMs: 400, elapsedMs: 400, scope: 'stage' },
    'the ending of the unit',
  );
  checkEqual(unit.durationMs, 700, 'the active time, without the wait');
  await run.run({ unit: 9000 }, { engine: world.engine, runId: 'run' });
  await clock.advance(5000);
  const whole = await run.resume('run', { engine: world.engine, answers });
  checkEqual(
    whole.termination,
    { kind: 'time_budget', limitMs: 1000, elapsedMs: 1000, scope: 'run' },
    'the ending of the run',
  );
}

/** The time while no owner had the run does not count, neither before its first nor between two. */
async function downtime(world: World): Promise<void> {
  const { clock } = world;
  const run = world.define({
    name: 'interrupted',
    limits: { timeMs: 10_000 },
    run: async (context) => {
      await context.step('first', () => clock.sleep(1000));
      await context.step('second', () => clock.sleep(1000));
      return terminations.naturalEnd();
    },
  });
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 });
  await startOnly(engine, run, 'interrupted');
  for (let owners = 0; owners < 2; owners += 1) {
    await clock.advance(3_600_000);
    await executeUntilLost(engine, run, 'interrupted');
  }
  const ending = checkPresent(await engine.ending('interrupted'), 'the ending');
  checkEqual([ending.termination.kind, ending.durationMs], ['natural_end', 2000], 'the ending and its active time');
}

/** A deadline is an instant: what a person takes to answer counts too, and so does a time without an owner. */
async function deadlines(world: World): Promise<void> {
  const { clock, engine } = world;
  const deadline = clock.now() + 10_000;
  const run = world.define<{ readonly asks: boolean }>({
    name: 'punctual',
    limits: { deadline },
    run: async (context, { asks }) => {
      if (asks) await context.wait({ id: 'ok', type: 'input' });
      const inner = await context.child('unit', (unit) => unit.step('never', () => new Promise(() => undefined)), {
        limits: { deadline: clock.now() + 3000 },
      });
      await context.sleep('long', 60_000);
      return end(terminations.naturalEnd(), inner.termination as unknown as JsonValue);
    },
  });
  const late = await run.run({ asks: false }, { engine, runId: 'late' });
  checkEqual(late.termination, { kind: 'time_budget', limitMs: 10_000, elapsedMs: 10_000, scope: 'run' }, 'the ending');
  const [unit] = (await world.journal('late')).filter((entry) => entry.type === 'unit_ended');
  const stage = { termination: { kind: 'time_budget', limitMs: 3000, elapsedMs: 3000, scope: 'stage' } };
  checkEqual(unit?.data, stage, 'the ending of the unit');
  await run.run({ asks: true }, { engine, runId: 'asked', onPause: 'end' });
  await clock.advance(20_000);
  const answered = await run.resume('asked', { engine, answers: { ok: { decision: 'value' } } });
  checkKind(answered.termination, 'time_budget');
  const more = await run.resume('late', { engine, limits: { deadline: clock.now() + 100_000 } });
  checkKind(more.termination, 'natural_end');
}

/** A refused reservation is the outcome of the step; the body continues, or ends with the limit that it met. */
async function refusals(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define<{ readonly copes: boolean }>({
    name: 'frugal',
    limits: { tokens: 350 },
    run: async (context, { copes }) => {
      const expensive = context.step('expensive', world.effect('expensive', 1), {
        reserve: { outputTokens: 1000 },
      });
      const refused = copes ? await expensive.catch((error: unknown) => error) : await expensive;
      const limit = refused instanceof StepFailed ? refused.refusal : undefined;
      await call(context, 'cheap', world);
      return end(terminations.naturalEnd(), limit as unknown as JsonValue);
    },
  });
  const coped = await run.run({ copes: true }, { engine, runId: 'copes' });
  checkEqual(coped.output, { kind: 'token_budget', limit: 350, used: 0 }, 'what the body saw');
  checkEqual(world.done, ['cheap'], 'what was done');
  const ended = await run.run({ copes: false }, { engine, runId: 'ends' });
  checkEqual(ended.termination, { kind: 'token_budget', limit: 350, used: 0 }, 'the ending');
  const [outcome] = (await world.journal('ends')).filter((entry) => entry.type === 'step_ended');
  checkEqual(
    outcome?.data.ok === false && outcome.data.refusal,
    ended.termination,
    'what the journal holds of the step',
  );
  await checkRefused(run.resume('ends', { engine, limits: { tokens: 350 } }), 'LIMIT_UNCHANGED');
  const raised = await run.resume('ends', { engine, limits: { tokens: 5000 } });
  checkKind(raised.termination, 'natural_end');
  checkEqual(world.times('expensive'), 1, 'how often the step was performed');
}

/** A charge that a parent has no room for stops the unit as the parent would, if the body does not handle it. */
async function refusalsFromAround(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define<{ readonly copes: boolean }>({
    name: 'crowded',
    limits: { tokens: 350 },
    run: async (context, { copes }) => {
      await context.child('first', async (unit) => {
        await call(unit, 'cheap', world);
        return terminations.naturalEnd();
      });
      const { termination } = await context.child('second', async (unit) => {
        const expensive = unit.step('expensive', world.effect('expensive', 1), { reserve: { outputTokens: 1000 } });
        await (copes ? expensive.catch(() => undefined) : expensive);
        return terminations.naturalEnd();
      });
      return end(terminations.naturalEnd(), termination.kind);
    },
  });
  const coped = await run.run({ copes: true }, { engine, runId: 'copes' });
  checkEqual(
    [coped.termination.kind, coped.output],
    ['natural_end', 'natural_end'],
    'the endings where the body copes',
  );
  world.done.length = 0;
  const ended = await run.run({ copes: false }, { engine, runId: 'ends' });
  const limit = { kind: 'token_budget', limit: 350, used: 100 };
  checkEqual(ended.termination, limit, 'the ending');
  const units = (await world.journal('ends')).filter((entry) => entry.type === 'unit_ended');
  const stopped = { termination: { kind: 'cancelled', by: 'parent', cause: limit } };
  checkEqual(units.at(-1)?.data, stopped, 'the ending of the unit that was refused');
  const raised = await run.resume('ends', { engine, limits: { tokens: 5000 } });
  checkKind(raised.termination, 'natural_end');
  checkEqual(world.done, ['cheap', 'expensive'], 'what was done');
}

/** The usage of a step that a cancellation stopped stays booked, and a resume performs it anew. */
async function cancelledCharge(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define({
    name: 'stopped',
    run: async (context) => {
      await context.step('call', async ({ charge, signal }) => {
        charge({ inputTokens: 30, costUsd: 0.25 });
        if (context.segment > 1) return;
        await engine.cancel('stopped', { by: 'operator' });
        await new Promise((_, reject) => {
          if (signal.aborted) reject(new Error('stopped'));
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      });
      return terminations.naturalEnd();
    },
  });
  const stopped = await run.run(undefined, { engine, runId: 'stopped' });
  checkKind(stopped.termination, 'cancelled');
  checkEqual([stopped.usage.inputTokens, stopped.costUsd], [30, 0.25], 'tokens and cost of the cancelled segment');
  const again = await run.resume('stopped', { engine });
  checkKind(again.termination, 'natural_end');
  checkEqual([again.usage.inputTokens, again.costUsd], [60, 0.5], 'tokens and cost in all');
}

export const budgetCases: readonly ConformanceCase[] = [
  conformanceCase('stops at steps, tokens and cost, but not a goal that was reached at the limit', limitsStop),
  conformanceCase('nests budgets: what an outer limit stops is cancelled by its parent, with the cause', nested),
  conformanceCase('keeps the account of every unit over crashes', accounts),
  conformanceCase('bounds the overshoot of parallel steps by what they reserve', reservations),
  conformanceCase('returns no cost where a price is not known, and flags estimates', unknownPrice),
  conformanceCase('books what failed attempts used', failedAttempts),
  conformanceCase('counts active time only, for runs and for units', activeTime),
  conformanceCase('does not count the time while no owner had the run', downtime),
  conformanceCase('ends at a deadline by the clock, waits included', deadlines),
  conformanceCase('refuses a reservation to the step, whose body may cope with that', refusals),
  conformanceCase('ends a unit around whose limit had no room, unless the body copes with that', refusalsFromAround),
  conformanceCase('keeps what a step used that a cancellation stopped', cancelledCharge),
];
