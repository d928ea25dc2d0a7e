import fc from 'fast-check';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { RunContext, UnitResult } from '../run-context.js';
import type { Machine, MachineDecision, MachineEffect, MachineObservation, MachinePerformer } from './machine.js';

/** An effect of a random machine. */
export interface RandomMember {
  readonly type: MachineEffect<unknown>['type'];
  readonly delayMs: number;
  /** How often it fails before it succeeds. */
  readonly failures: number;
  /** Units only: asks a person before it does anything else. */
  readonly asks: boolean;
  /** Units only: asks a person when its work is done. */
  readonly asksLater: boolean;
  readonly once: boolean;
}

export interface RandomRound {
  readonly members: readonly RandomMember[];
  readonly failFast: boolean;
  readonly concurrency?: number | undefined;
  /** Continues with the next round while units wait; otherwise asks for them again. */
  readonly continues: boolean;
  /** Ends the run when a member of it fails. */
  readonly strict: boolean;
}

export interface RandomState {
  readonly seen: readonly MachineObservation[];
  /** How many of the observations count no more as failures. */
  readonly forgiven: number;
}

interface Plan {
  readonly key: string;
  readonly member: RandomMember;
}

const member: fc.Arbitrary<RandomMember> = fc.record({
  type: fc.constantFrom('step', 'step', 'unit', 'unit', 'unit', 'record', 'request', 'sleep'),
  delayMs: fc.nat({ max: 40 }),
  failures: fc.constantFrom(0, 0, 0, 1, 2),
  asks: fc.boolean(),
  asksLater: fc.constantFrom(false, false, true),
  once: fc.boolean(),
});

export const arbitraryRounds: fc.Arbitrary<readonly RandomRound[]> = fc.array(
  fc.record({
    members: fc.array(member, { minLength: 1, maxLength: 4 }),
    failFast: fc.boolean(),
    concurrency: fc.constantFrom(undefined, 1, 2),
    continues: fc.boolean(),
    strict: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

const keyOf = (round: number, index: number): string => `r${round}m${index}`;

function effectsOf({ members }: RandomRound, round: number): readonly MachineEffect<Plan>[] {
  return members.map((each, index): MachineEffect<Plan> => {
    const key = keyOf(round, index);
    const plan = { key, member: each };
    if (each.type === 'request') return { type: 'request', key, request: { id: key, type: 'approval' } };
    if (each.type === 'sleep') return { type: 'sleep', key, milliseconds: each.delayMs };
    if (each.type === 'step') return { type: 'step', key, plan, options: { once: each.once } };
    return { type: each.type, key, plan };
  });
}

/** Rounds of effects one after the other. What it has seen is its whole state. */
export function randomMachine(rounds: readonly RandomRound[]): Machine<RandomState, Plan, undefined> {
  return {
    init: () => ({ seen: [], forgiven: 0 }),
    decide({ seen, forgiven }): MachineDecision<Plan> {
      const [failure] = seen.slice(forgiven).flatMap((observation) => failureIn(rounds, observation));
      if (failure !== undefined) return { type: 'end', termination: failure };
      return roundAfter(rounds, new Set(seen.map(({ key }) => key)));
    },
    apply: (state, observation) => ({ ...state, seen: [...state.seen, observation] }),
    observe: ({ seen }) => (seen.length % 2 === 0 ? { seen: seen.length } : undefined),
    resume: (state) => ({ ...state, forgiven: state.seen.length }),
  };
}

function roundAfter(rounds: readonly RandomRound[], seen: ReadonlySet<string>): MachineDecision<Plan> {
  let waits = false;
  for (const [at, round] of rounds.entries()) {
    const effects = effectsOf(round, at);
    const open = effects.filter(({ key }) => !seen.has(key));
    if (open.length === 0) continue;
    // What is missing where something was seen waits for a person.
    if (open.length === effects.length || !round.continues) {
      const { concurrency, failFast } = round;
      return { type: 'perform', effects: open, failFast, ...(concurrency !== undefined && { concurrency }) };
    }
    waits = true;
  }
  if (waits) return { type: 'wait' };
  return { type: 'end', termination: terminations.flowCompleted({ last: String(seen.size) }) };
}

function failureIn(rounds: readonly RandomRound[], observation: MachineObservation): readonly AnyTermination[] {
  const { key, type } = observation;
  if (rounds[Number(/^r(\d+)/.exec(key)?.[1])]?.strict !== true) return [];
  if (type === 'error') {
    return [terminations.failed({ error: observation.error, origin: 'loop', errorClass: 'unknown' })];
  }
  if (type !== 'unit' || observation.result.termination.kind !== 'failed') return [];
  return [terminations.childFailed({ child: { name: key, path: key }, termination: observation.result.termination })];
}

/** Carries out the plans of a random machine; it counts attempts across crashes, as the world outside does. */
export function randomPerformer(sleep: (milliseconds: number) => Promise<void>): MachinePerformer<Plan> {
  const attempts = new Map<string, number>();
  const act = async ({ key, member: { delayMs, failures } }: Plan): Promise<string> => {
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    await sleep(delayMs);
    if (attempt <= failures) throw new Error(`${key} failed`);
    return key;
  };
  return {
    step: act,
    record: act,
    unit: async (plan, context: RunContext): Promise<UnitResult> => {
      if (plan.member.asks) await context.wait({ id: plan.key, type: 'approval' });
      await context.step('first', () => plan.member.delayMs);
      await context.step('second', () => act(plan));
      if (plan.member.asksLater) await context.wait({ id: `${plan.key}-later`, type: 'approval' });
      return { termination: terminations.naturalEnd(), also: [] };
    },
  };
}
