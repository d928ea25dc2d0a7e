import { frozen } from '../../run/frozen.js';
import { emptyLog } from '../../run/log.js';
import type { JsonValue } from '../../termination/json.js';
import { emptyFacts, FactAppender, type FactLog, keysOf } from '../facts/fact-log.js';
import { makeFactRef } from '../facts/fact-ref.js';
import type { FactSnapshot } from '../facts/snapshot.js';
import type { ConvergenceInput } from '../options/convergence-options.js';
import type { Rules } from './rules.js';
import type { ConvergenceState, Queued } from './state.js';

export interface MachineInput {
  readonly input: JsonValue | undefined;
  readonly at: number;
}

/** A run that has not begun: everything that it was given waits to be merged. */
export function startState(rules: Rules, { input, at }: MachineInput): ConvergenceState {
  const given = (rules.options.seed === undefined ? (input ?? {}) : {}) as ConvergenceInput;
  const facts = restoredFacts(given.snapshot);
  return {
    phase: 'merging',
    cycle: 0,
    facts,
    unseeded: { input },
    queue: (given.facts ?? []).map((proposal): Queued => ({ proposal, by: 'input' })),
    merging: { entry: undefined, facts: undefined },
    incoming: emptyLog(),
    awake: [],
    returned: 0,
    early: [],
    failed: [],
    failures: emptyLog(),
    dirty: keysOf(facts),
    rebuffed: [],
    gates: [],
    opened: 0,
    gateRecords: emptyLog(),
    rejections: emptyLog(),
    refused: new Map(),
    repairs: new Map(),
    recheck: false,
    unrepaired: [],
    settlements: [],
    criteria: [],
    cycles: emptyLog(),
    rounds: [],
    budgets: rules.budgets,
    tokens: 0,
    costUsd: 0,
    estimated: false,
    activeMs: 0,
    lastAt: at,
    ending: null,
    also: [],
    output: undefined,
    outputMade: false,
    forged: null,
  };
}

/** The facts of a snapshot, which was checked before the run started. */
function restoredFacts(snapshot: FactSnapshot | undefined): FactLog {
  const facts = new FactAppender(emptyFacts());
  for (const fact of snapshot?.facts ?? []) facts.add(frozen({ ...fact, ref: makeFactRef(fact.key, fact.id) }));
  return facts.log();
}
