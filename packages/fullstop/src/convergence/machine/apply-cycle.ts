import { frozen } from '../../run/frozen.js';
import { appendAll, emptyLog, itemsOf } from '../../run/log.js';
import { FactAppender, type FactLog, factsOf, rootText } from '../facts/fact-log.js';
import { makeFactRef } from '../facts/fact-ref.js';
import type { ProposalRejection } from '../facts/rejection.js';
import { mostEscalations } from '../options/gate.js';
import { contentKey, factOf } from './candidate.js';
import { claimsOf, errorsIn, findReachedLimits } from './causes.js';
import { makeGateId } from './convergence-key.js';
import type { CycleEntry, Exception } from './cycle-entry.js';
import { familyOf, mergeAgain, proposalsToMerge } from './merge-again.js';
import { isNews, isProductive, keysAfter } from './news.js';
import { rememberRound } from './oscillation.js';
import { addViolations } from './repair.js';
import type { Rules } from './rules.js';
import type { Draft, OpenGate, Queued } from './state.js';

/** Folds the entry of a merge in: new facts, rejections, gates, and the next phase or the ending. */
export function applyCycle(draft: Draft, rules: Rules, entry: CycleEntry, at: number): void {
  const queue = proposalsToMerge(draft, entry.seeded);
  const before = draft.facts.length;
  const { merging } = draft;
  const known = merging.entry === entry ? merging.facts : undefined;
  draft.facts = known ?? factsAgain(draft, rules, entry, queue);
  // What this process has merged has its root from there.
  if (rootText(draft.facts) !== entry.root) draft.forged ??= draft.cycle;
  const refs = refsOf(draft, rules, entry, queue);
  const rejected = rejectionsIn(draft, entry, queue, refs);
  noteRepairs(draft, entry);
  noteNews(draft, rules, { entry, before, rejected });
  draft.gates = [...draft.gates, ...gatesIn(draft, rules, { entry, queue, refs, at })];
  draft.queue = entry.held === 0 ? [] : queue.slice(queue.length - entry.held);
  draft.unseeded = null;
  noteRound(draft, rules, before, rejected);
  draft.awake = entry.awake;
  conclude(draft, rules, entry, refs);
  draft.failed = [];
}

const noRefs: ReadonlyMap<number, string> = new Map();

/** The references of the proposals that were not promoted, by their places. */
function refsOf(
  draft: Draft,
  rules: Rules,
  { exceptions }: CycleEntry,
  queue: readonly Queued[],
): ReadonlyMap<number, string> {
  if (exceptions.length === 0) return noRefs;
  return new Map(exceptions.map(({ at }) => [at, refOf(draft, rules, queue[at] as Queued)]));
}

/** The facts after a merge that another process has made. */
function factsAgain(draft: Draft, rules: Rules, entry: CycleEntry, queue: readonly Queued[]): FactLog {
  const { exceptions, held } = entry;
  const merged = mergeAgain(draft, rules, { queue, exceptions, held });
  if (entry.violations.every(({ repair }) => repair === undefined)) return merged;
  const facts = new FactAppender(merged);
  addViolations(
    facts,
    entry.violations.filter((each) => each.class === 'semantic'),
    draft.cycle,
  );
  return facts.log();
}

/** The reference that a proposal would have had; one without an id in order has what it says. */
function refOf(draft: Draft, rules: Rules, queued: Queued): string {
  const { key, id } = queued.proposal;
  if (id !== undefined) return makeFactRef(key, id);
  return factOf(queued, familyOf(rules, queued.proposal), { cycle: draft.cycle, clock: 0 }).ref;
}

function rejectionsIn(
  { cycle }: Draft,
  { exceptions }: CycleEntry,
  queue: readonly Queued[],
  refs: ReadonlyMap<number, string>,
): readonly ProposalRejection[] {
  return exceptions.flatMap((each) => {
    if (each.type !== 'rejected') return [];
    const { by, proposal } = queue[each.at] as Queued;
    const { why: type, reason, gate, existing } = each;
    const ref = refs.get(each.at) ?? '';
    const { payload } = proposal;
    const rejection: ProposalRejection = {
      cycle,
      ref,
      by,
      type,
      reason,
      payload: frozen(payload),
      ...(gate !== undefined && { gate }),
      ...(existing !== undefined && { existing: frozen(existing) }),
    };
    return [Object.freeze(rejection)];
  });
}

interface Applied {
  readonly entry: CycleEntry;
  /** How many facts there were before it. */
  readonly before: number;
  readonly rejected: readonly ProposalRejection[];
}

function noteNews(draft: Draft, { byName }: Rules, { entry, before, rejected }: Applied): void {
  draft.rejections = appendAll(draft.rejections, rejected);
  draft.dirty = keysAfter(draft, draft.facts, before);
  const news = rejected.filter(({ type }) => isNews(type));
  const rebuffed = [...news.map(({ by }) => by), ...draft.failed.map(({ suggestor }) => suggestor)];
  if (rebuffed.length > 0)
    draft.rebuffed = [...new Set([...draft.rebuffed, ...rebuffed.filter((by) => byName.has(by))])];
  if (entry.criteria.length > 0) draft.criteria = entry.criteria;
  const { cycle, promoted, root } = entry;
  draft.cycles = appendAll(draft.cycles, [{ cycle, promoted, rejected: rejected.length, root }]);
}

function noteRepairs(draft: Draft, { promoted, violations }: CycleEntry): void {
  if (!isProductive(draft, promoted)) return;
  const left = violations.filter(({ repair }) => repair !== undefined);
  draft.unrepaired = left;
  draft.recheck = false;
  if (left.length > 0)
    draft.repairs = new Map([...draft.repairs, ...left.map(({ name, repair = 0 }) => [name, repair] as const)]);
}

function noteRound(draft: Draft, { oscillation }: Rules, before: number, rejected: readonly ProposalRejection[]): void {
  if (oscillation === undefined || draft.cycle === 0) return;
  const fresh = factsOf(draft.facts).slice(before);
  draft.rounds = rememberRound(draft.rounds, { cycle: draft.cycle, promoted: fresh, rejected }, oscillation);
}

interface Opening {
  readonly entry: CycleEntry;
  readonly queue: readonly Queued[];
  readonly refs: ReadonlyMap<number, string>;
  readonly at: number;
}

function gatesIn(draft: Draft, rules: Rules, { entry, queue, refs, at }: Opening): readonly OpenGate[] {
  if (entry.exceptions.length === 0) return [];
  const taken = new Set(itemsOf(draft.gateRecords).map(({ gateId }) => gateId));
  const open = (exception: Exception): readonly OpenGate[] => {
    const queued = queue[exception.at] as Queued;
    if (exception.type === 'reopened') return reopenedGate(rules, queued.passed, exception.reason, at);
    if (exception.type !== 'gated') return [];
    const { cycle } = draft;
    const ref = refs.get(exception.at) ?? '';
    const { gate: policy, summary } = exception;
    const { proposal, by } = queued;
    const { gateId, reopened } = freeId({ ref, cycle }, taken);
    const opened = { gateId, ref, proposal, by, policy, summary, cycle };
    const gate = { ...opened, level: 0, reopened, place: draft.opened };
    draft.opened += 1;
    return [{ ...gate, ...deadlineOf(rules, gate, at) }];
  };
  return entry.exceptions.flatMap(open);
}

/** The same gate again, after an answer that could not be used. */
export function reopenedGate(
  rules: Rules,
  gate: OpenGate | undefined,
  reason: string,
  at: number,
): readonly OpenGate[] {
  if (gate === undefined) return [];
  const reopened = gate.reopened + 1;
  const summary = `${gate.summary.replace(/ \(the last answer could not be used: .*\)$/s, '')} (the last answer could not be used: ${reason})`;
  const again = { ...gate, gateId: idOf(gate, gate.level, reopened), reopened, summary };
  return [{ ...again, ...deadlineOf(rules, again, at) }];
}

/** The gate that follows one whose deadline has passed, dated at that deadline; undefined when there were enough. */
export function escalatedGate(rules: Rules, gate: OpenGate, at: number): OpenGate | undefined {
  if (gate.level >= mostEscalations) return undefined;
  const level = gate.level + 1;
  const to = rules.gates[gate.policy]?.options.escalation?.to;
  const summary = level > 1 || to === undefined ? gate.summary : `${gate.summary} (escalated to ${to})`;
  const next = { ...gate, gateId: idOf(gate, level, gate.reopened), level, summary };
  return { ...next, ...deadlineOf(rules, next, at) };
}

/** The first id that no gate has had: a resume may bring other content under the same reference in the same cycle. */
function freeId(
  asked: Pick<OpenGate, 'ref' | 'cycle'>,
  taken: ReadonlySet<string>,
): Pick<OpenGate, 'gateId' | 'reopened'> {
  let reopened = 0;
  while (taken.has(idOf(asked, 0, reopened))) reopened += 1;
  return { gateId: idOf(asked, 0, reopened), reopened };
}

function idOf({ ref, cycle }: Pick<OpenGate, 'ref' | 'cycle'>, level: number, reopened: number): string {
  return makeGateId({ ref, cycle, level, reopened });
}

function deadlineOf(rules: Rules, { policy, level }: OpenGate, at: number): { readonly deadline?: number } {
  const gate = rules.gates[policy];
  const wait = level === 0 ? gate?.deadlineMs : (gate?.escalationMs ?? gate?.deadlineMs);
  return wait === undefined ? {} : { deadline: at + wait };
}

/** The first cause that counts is the ending, the others are kept beside it; without any the run continues. */
function conclude(draft: Draft, rules: Rules, entry: CycleEntry, refs: ReadonlyMap<number, string>): void {
  const errors = errorsIn(draft, entry, refs);
  const causes = errors.concat(claimsOf(draft, rules, entry), findReachedLimits(draft, rules, entry));
  const isOpen = draft.gates.length > 0;
  const waits = isOpen && (rules.waitsAtGates || draft.incoming.length === 0);
  const isDecided = !isOpen && draft.incoming.length === 0;
  const [ending] = causes;
  if (ending !== undefined && (errors.length > 0 || isDecided)) {
    draft.ending = ending;
    draft.also = causes.slice(1);
    return;
  }
  // Open gates come before goals and limits, which are weighed again when people have decided.
  draft.also = causes;
  const mayContinue = causes.length === 0 && !(isOpen && rules.waitsAtGates);
  if (mayContinue && entry.awake.length > 0) startCycle(draft);
  else if (waits) draft.phase = 'deciding';
  // A gate was decided while this was judged.
  else startMerge(draft);
}

/** Lets the suggestors work that are awake. */
export function startCycle(draft: Draft): void {
  draft.phase = 'suggesting';
  draft.cycle += 1;
  draft.returned = 0;
  draft.early = [];
  draft.dirty = [];
  draft.rebuffed = [];
}

/** Takes everything that has come in to the next merge. */
export function startMerge(draft: Draft): void {
  draft.phase = 'merging';
  draft.merging = { entry: undefined, facts: undefined };
  // People answer in any order; what they let pass is merged in the order in which it was proposed.
  const came = itemsOf(draft.incoming);
  const passed = came.filter((each) => each.passed !== undefined);
  passed.sort((left, right) => (left.passed?.place ?? 0) - (right.passed?.place ?? 0));
  const rest = came.filter((each) => each.passed === undefined);
  draft.queue = draft.queue.length + passed.length === 0 ? rest : [...draft.queue, ...passed, ...rest];
  draft.incoming = emptyLog();
}

/** Remembers what was rejected or changed at a gate, so that nobody is asked the same twice. */
export function refuse(draft: Draft, rules: Rules, gate: OpenGate): void {
  const fact = factOf(gate, familyOf(rules, gate.proposal), { cycle: gate.cycle, clock: 0 });
  const known = draft.refused.get(gate.ref) ?? [];
  draft.refused = new Map([...draft.refused, [gate.ref, [...known, contentKey(fact)]]]);
}
