import fc from 'fast-check';
import type { OnExpiry } from '../engines/port/request.js';
import { terminations } from '../termination/terminations.js';
import type { SimulatedClock } from '../testing/simulated-clock.js';
import { end } from './ending/body-result.js';
import { StepFailed } from './errors.js';
import type { BodyResult, RunContext } from './run-context.js';

// Bodies that do anything a body may do, in any order and at once.

export type Operation =
  | {
      readonly do: 'step';
      readonly ms: number;
      readonly fails: boolean;
      readonly caught: boolean;
      readonly once: boolean;
    }
  | { readonly do: 'record'; readonly value: number }
  | { readonly do: 'emit' }
  | { readonly do: 'undo' }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'wait'; readonly deadlineMs: number | undefined; readonly onExpiry: OnExpiry }
  | {
      readonly do: 'unit';
      readonly program: Program;
      readonly steps: number | undefined;
      readonly timeMs: number | undefined;
    }
  | { readonly do: 'together'; readonly programs: readonly Program[] }
  | { readonly do: 'race'; readonly sleepMs: number; readonly stepMs: number }
  | { readonly do: 'throw' }
  | { readonly do: 'return' };

export type Program = readonly Operation[];

const ms = fc.nat({ max: 40 });
const often = <T>(arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ weight: 6, arbitrary });
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.WeightedArbitrary<T> => ({ weight: 1, arbitrary });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 });

export const arbitraryProgram: fc.Arbitrary<Program> = fc.letrec<{ program: Program; operation: Operation }>((tie) => ({
  program: fc.array(tie('operation'), { maxLength: 4 }),
  operation: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    often(fc.record({ do: fc.constant('step'), ms, fails: rarely(), caught: fc.boolean(), once: rarely() })),
    often(fc.record({ do: fc.constant('record'), value: ms })),
    seldom(fc.record({ do: fc.constant('emit') })),
    seldom(fc.record({ do: fc.constant('undo') })),
    often(fc.record({ do: fc.constant('sleep'), ms })),
    often(
      fc.record({
        do: fc.constant('wait'),
        deadlineMs: maybe(ms),
        onExpiry: fc.constantFrom('end', 'reject', 'approve', 'escalate'),
      }),
    ),
    seldom(fc.record({ do: fc.constant('throw') })),
    seldom(fc.record({ do: fc.constant('return') })),
    seldom(fc.record({ do: fc.constant('race'), sleepMs: ms, stepMs: ms })),
    often(
      fc.record({
        do: fc.constant('unit'),
        program: tie('program'),
        steps: maybe(fc.integer({ min: 1, max: 3 })),
        timeMs: maybe(fc.integer({ min: 1, max: 60 })),
      }),
    ),
    often(fc.record({ do: fc.constant('together'), programs: fc.array(tie('program'), { maxLength: 3 }) })),
  ) as fc.Arbitrary<Operation>,
})).program;

function rarely(): fc.Arbitrary<boolean> {
  return fc.nat({ max: 5 }).map((draw) => draw === 0);
}

export interface Performance {
  readonly clock: SimulatedClock;
  /** The places of the steps whose effect was performed, and of the undo steps. */
  readonly performed: string[];
}

/** Thrown to leave all branches with a result. */
class Returned extends Error {}

/** Performs a program. What it returns depends on the program alone, not on times. */
export async function performProgram(
  context: RunContext,
  program: Program,
  performance: Performance,
): Promise<BodyResult> {
  try {
    await performAll({ context, performance, path: '' }, program);
    return end(terminations.flowCompleted({ last: 'program' }), { operations: program.length });
  } catch (error) {
    if (error instanceof Returned) return terminations.submitted({ tool: 'return' });
    throw error;
  }
}

interface Place {
  readonly context: RunContext;
  readonly performance: Performance;
  readonly path: string;
}

async function performAll(place: Place, program: Program): Promise<void> {
  for (const [index, operation] of program.entries())
    await perform({ ...place, path: `${place.path}.${index}` }, operation);
}

async function perform(place: Place, operation: Operation): Promise<void> {
  const { context, performance, path } = place;
  switch (operation.do) {
    case 'step':
      return performStep(place, operation);
    case 'record':
      await context.record(`record ${path}`, () => operation.value);
      return;
    case 'emit':
      return context.emit({ path });
    case 'undo':
      return context.onCancel(`undo ${path}`, () => void performance.performed.push(`${context.scope}:undo ${path}`));
    case 'sleep':
      return context.sleep(`sleep ${path}`, operation.ms);
    case 'wait':
      return ask(place, operation);
    case 'unit':
      return performUnit(place, operation);
    case 'together':
      await Promise.all(
        operation.programs.map((each, index) => performAll({ ...place, path: `${path}/${index}` }, each)),
      );
      return;
    case 'race': {
      const effect = (): Promise<void> => performance.clock.sleep(operation.stepMs);
      await Promise.race([context.sleep(`limit ${path}`, operation.sleepMs), context.step(`contest ${path}`, effect)]);
      return;
    }
    case 'throw':
      throw new RangeError(`thrown at ${path}`);
    case 'return':
      throw new Returned();
  }
}

async function performStep(
  { context, performance, path }: Place,
  { ms: duration, fails, caught, once }: Extract<Operation, { do: 'step' }>,
): Promise<void> {
  const effect = async (): Promise<void> => {
    performance.performed.push(`${context.scope}:${path}`);
    await performance.clock.sleep(duration);
    if (fails) throw new Error(`failed at ${path}`);
  };
  try {
    await context.step(`step ${path}`, effect, { once });
  } catch (error) {
    if (!caught || !(error instanceof StepFailed)) throw error;
  }
}

async function ask(
  { context, path }: Place,
  { deadlineMs, onExpiry }: Extract<Operation, { do: 'wait' }>,
): Promise<void> {
  const deadline = deadlineMs === undefined ? undefined : context.now() + deadlineMs;
  const escalation = deadline === undefined ? {} : { escalation: { to: 'boss', deadline: deadline + 20 } };
  await context.wait({
    id: `${context.scope}:${path}`,
    type: 'approval',
    ...(deadline !== undefined && { deadline, onExpiry, ...escalation }),
  });
}

async function performUnit(
  { context, performance, path }: Place,
  { program, steps, timeMs }: Extract<Operation, { do: 'unit' }>,
): Promise<void> {
  const limits = { ...(steps !== undefined && { steps }), ...(timeMs !== undefined && { timeMs }) };
  await context.child(`unit ${path}`, (inner) => performProgram(inner, program, performance), { limits });
}
