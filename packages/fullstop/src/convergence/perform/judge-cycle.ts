import { frozenCopy } from '../../run/frozen.js';
import { normalise } from '../../run/unit/normalise.js';
import { wrongVerdict } from '../../stop/wrong-verdict.js';
import { isObject } from '../../termination/json.js';
import type { Proposal } from '../facts/fact.js';
import { FactAppender, type FactLog, rootText } from '../facts/fact-log.js';
import { type FactView, viewOf } from '../facts/fact-view.js';
import type { CycleEntry } from '../machine/cycle-entry.js';
import { proposalsToMerge } from '../machine/merge-again.js';
import { isNews, isProductive, keysAfter } from '../machine/news.js';
import { addViolations, repairable } from '../machine/repair.js';
import type { Rules } from '../machine/rules.js';
import type { ConvergenceState, Queued } from '../machine/state.js';
import { callRule } from '../options/call-rule.js';
import { allMet, type CriterionVerdict, verdictsOf } from '../options/criterion.js';
import { type InvariantViolation, violationsOf } from '../options/invariant.js';
import { type Merged, merge } from './merge.js';
import { awakeAfter, type News } from './wake.js';

/** Merges what is queued and asks the user's code about it. Nothing of it counts until the entry is in the journal. */
export async function judgeCycle(state: ConvergenceState, rules: Rules): Promise<CycleEntry> {
  const seeded = state.unseeded === null ? undefined : await seedOf(state, rules);
  const queue = proposalsToMerge(state, seeded);
  const merged = await merge(state, rules, queue);
  const judged = rules.invariants.length === 0 ? withoutChecks(merged) : await checkInvariants(state, rules, merged);
  const { facts } = judged;
  const view = viewOf(facts, rules.keys);
  const gated = merged.exceptions.some(({ type }) => type === 'gated' || type === 'reopened');
  const open = gated || state.gates.length > 0;
  const waits = open && rules.waitsAtGates;
  const awake = waits ? [] : awakeAfter(state, rules, newsOf(state, rules, { queue, merged, facts }), view);
  const rest = !open && awake.length === 0 && merged.held === 0;
  const silent = rules.criteria.length + rules.invariants.length === 0;
  const { criteria, violations } = silent ? noClaim : await claim(state, rules, { view, rest, waits });
  const entry: { -readonly [K in keyof CycleEntry]: CycleEntry[K] } = {
    cycle: state.cycle,
    promoted: judged.promoted,
    exceptions: merged.exceptions,
    facts: facts.length,
    held: merged.held,
    violations: [...judged.violations, ...violations],
    criteria,
    awake,
    rest,
    root: rootText(facts),
  };
  if (seeded !== undefined) entry.seeded = seeded;
  state.merging.entry = entry;
  state.merging.facts = facts;
  return entry;
}

async function seedOf({ unseeded }: ConvergenceState, { options }: Rules): Promise<readonly Proposal[] | undefined> {
  const { facts = [], seed } = options;
  if (unseeded === null || (facts.length === 0 && seed === undefined)) return undefined;
  const made: unknown = seed === undefined ? [] : await callRule('The seed', () => seed(unseeded.input as never));
  if (!Array.isArray(made) || !made.every(isObject)) throw wrongVerdict('The seed', made, 'a list of facts');
  // In the journal too: a resume must find what this run began with, whatever the definition says by then.
  return frozenCopy(normalise([...facts, ...made])) as unknown as readonly Proposal[];
}

interface Checked {
  readonly facts: FactLog;
  readonly promoted: readonly string[];
  readonly violations: readonly InvariantViolation[];
}

function withoutChecks({ facts, promoted }: Merged): Checked {
  return { facts, promoted, violations: [] };
}

/** Structural rules after every merge, semantic ones when it brought something; what may be repaired becomes a fact. */
async function checkInvariants(state: ConvergenceState, rules: Rules, merged: Merged): Promise<Checked> {
  const { facts, promoted } = merged;
  const view = viewOf(facts, rules.keys);
  const broken = await violationsOf(rules.invariants, 'structural', view);
  const wrong = isProductive(state, promoted) ? await violationsOf(rules.invariants, 'semantic', view) : [];
  const judged = repairable(state, rules, { wrong, facts });
  const appender = new FactAppender(facts);
  const added = addViolations(appender, judged, state.cycle);
  const violations = [...broken, ...judged];
  return { facts: added.length === 0 ? facts : appender.log(), promoted: [...promoted, ...added], violations };
}

interface Outcome {
  readonly queue: readonly Queued[];
  readonly merged: Merged;
  readonly facts: FactLog;
}

function newsOf(state: ConvergenceState, { byName }: Rules, { queue, merged, facts }: Outcome): News {
  const rebuffed = merged.exceptions.flatMap((each) => {
    const by = each.type === 'rejected' && isNews(each.why) ? queue[each.at]?.by : undefined;
    return by !== undefined && byName.has(by) ? [by] : [];
  });
  return {
    dirty: keysAfter(state, facts, state.facts.length),
    rebuffed: [...state.rebuffed, ...rebuffed, ...state.failed.map(({ suggestor }) => suggestor)],
  };
}

const noClaim = { criteria: [], violations: [] } as const;

interface Claim {
  readonly view: FactView;
  readonly rest: boolean;
  readonly waits: boolean;
}

/** Criteria where they are asked for, and acceptance rules where the run would end with them. */
async function claim(
  state: ConvergenceState,
  rules: Rules,
  { view, rest, waits }: Claim,
): Promise<{ readonly criteria: readonly CriterionVerdict[]; readonly violations: readonly InvariantViolation[] }> {
  const asked = rules.criteria.length > 0 && (rest || (rules.everyCycle && !waits));
  const { settlements } = state;
  const isSettled = (ref: string): boolean => settlements.some((each) => each.ref === ref);
  const criteria = asked ? await verdictsOf(rules.criteria, { facts: view, settlements, isSettled }) : [];
  const done = rest || allMet(criteria);
  return { criteria, violations: done ? await violationsOf(rules.invariants, 'acceptance', view) : [] };
}

/** The output of a run that ends. */
export function outputOf({ facts }: ConvergenceState, { options, keys }: Rules): Promise<unknown> {
  return callRule('The output', () => options.output?.(viewOf(facts, keys)));
}
