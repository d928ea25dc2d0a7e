import { wrongVerdict } from '../../stop/wrong-verdict.js';
import { type Fact, problemOf, reservedKey } from '../facts/fact.js';
import { FactAppender, type FactLog } from '../facts/fact-log.js';
import { parseFactRef } from '../facts/fact-ref.js';
import { type FactView, viewOf } from '../facts/fact-view.js';
import { contentKey, factOf, sameContent } from '../machine/candidate.js';
import type { Exception } from '../machine/cycle-entry.js';
import { familyOf } from '../machine/merge-again.js';
import type { Rules } from '../machine/rules.js';
import type { ConvergenceState, Queued } from '../machine/state.js';
import { callRule } from '../options/call-rule.js';
import { type FactFamily, misfit } from '../options/family.js';
import { type FactCandidate, type Gate, isGated } from '../options/gate.js';
import type { AdmitProposal } from '../options/promotion-gate.js';

/** The result of a merge. */
export interface Merged {
  readonly facts: FactLog;
  readonly promoted: readonly string[];
  readonly exceptions: readonly Exception[];
  readonly held: number;
}

type Rejected = Omit<Extract<Exception, { type: 'rejected' }>, 'at' | 'type'>;

/** Takes the proposals of a cycle one after the other: each is promoted, or there is an exception that says why not. */
export async function merge(state: ConvergenceState, rules: Rules, queue: readonly Queued[]): Promise<Merged> {
  const merging = new Merging(state, rules);
  for (let at = 0; at < queue.length; at += 1) {
    const taken = merging.take(queue[at] as Queued, at);
    // Most proposals pass without asking anybody's code, and waiting for nothing costs more than the rest.
    if (taken instanceof Promise) await taken;
    if (merging.full) return merging.done(queue.length - at);
  }
  return merging.done(0);
}

class Merging {
  /** True once the fact budget has no room left for a proposal that would have passed. */
  full = false;
  readonly #state: ConvergenceState;
  readonly #rules: Rules;
  readonly #facts: FactAppender;
  readonly #promoted: string[] = [];
  readonly #exceptions: Exception[] = [];
  /** The proposals that wait at gates, by reference. */
  #waiting: Map<string, Fact> | undefined;

  constructor(state: ConvergenceState, rules: Rules) {
    this.#state = state;
    this.#rules = rules;
    this.#facts = new FactAppender(state.facts);
    const place = { cycle: state.cycle, clock: 0 };
    for (const gate of state.gates) this.#wait(factOf(gate, familyOf(rules, gate.proposal), place));
  }

  take(queued: Queued, at: number): Promise<void> | undefined {
    const { proposal } = queued;
    const wrong = problemOf(proposal) ?? reservedKey(proposal) ?? this.#unknownCause(queued);
    if (wrong !== undefined) return this.#invalid(queued, at, wrong);
    const family = this.#rules.families.of(proposal);
    if (typeof family === 'string') return this.#invalid(queued, at, family);
    const unfit = misfit(family, proposal);
    if (unfit instanceof Promise) return unfit.then((why) => this.#place(queued, at, { family, why }));
    return this.#place(queued, at, { family, why: unfit });
  }

  #place(
    queued: Queued,
    at: number,
    found: { readonly family: FactFamily; readonly why: string | undefined },
  ): Promise<void> | undefined {
    const { cycle } = this.#state;
    if (found.why !== undefined) return this.#invalid(queued, at, found.why);
    const fact = factOf(queued, found.family, { cycle, clock: this.#facts.length + 1 });
    const other =
      this.#facts.find(fact.key, fact.id) ?? (queued.approval === undefined ? this.#waiting?.get(fact.ref) : undefined);
    if (other !== undefined && sameContent(fact, other)) {
      this.#exceptions.push({ at, type: 'repeated' });
      return undefined;
    }
    if (queued.approval === undefined && this.#wasRefused(fact))
      return this.#reject(at, { why: 'refused_before', reason: 'the same was rejected or changed at a gate before' });
    if (other !== undefined) return this.#conflicts(fact, other, at);
    const { promotionGates, gates } = this.#rules;
    const isFree = promotionGates.length === 0 && (gates.length === 0 || queued.approval !== undefined);
    return isFree ? this.#promote(fact) : this.#ask(queued, fact, at);
  }

  /** A reason that nobody can look up is none. The input may come from another run, with its reasons there. */
  #unknownCause({ proposal: { because = [] }, by }: Queued): string | undefined {
    if (because.length === 0 || by === 'input') return undefined;
    const unknown = because.find((ref) => {
      const { key = '', id = '' } = parseFactRef(ref) ?? {};
      return this.#facts.find(key, id) === undefined;
    });
    return unknown === undefined ? undefined : `because names ${JSON.stringify(unknown)}, and there is no such fact`;
  }

  #wasRefused(fact: Fact): boolean {
    const { refused } = this.#state;
    // Most runs refuse nothing, and looking a reference up costs more than asking that.
    return refused.size > 0 && refused.get(fact.ref)?.includes(contentKey(fact)) === true;
  }

  /** The id is taken by another content. */
  #conflicts(fact: Fact, other: Fact, at: number): undefined {
    const contents = `${JSON.stringify(other.payload)} is there, ${JSON.stringify(fact.payload)} was proposed`;
    const reason = `the id ${fact.ref} is taken: ${contents}`;
    const fatal = this.#rules.options.onConflict === 'end';
    return this.#reject(at, { why: 'conflict', reason, existing: other.payload, ...(fatal && { fatal }) });
  }

  async #ask(queued: Queued, fact: Fact, at: number): Promise<void> {
    const view = viewOf(this.#facts.log(), this.#rules.keys);
    const candidate: FactCandidate = fact;
    for (const { name, admit, fatal } of this.#rules.promotionGates) {
      const said = await askPromotionGate(name, () => admit(candidate, view));
      if (said === true) continue;
      const reason = said || `the promotion gate ${name} does not let it pass`;
      this.#reject(at, { why: 'gate', reason, gate: name, ...(fatal && { fatal }) });
      return;
    }
    if (queued.approval === undefined && (await this.#isHeldAtGate(fact, at, view))) return;
    this.#promote(fact);
  }

  async #isHeldAtGate(fact: Fact, at: number, view: FactView): Promise<boolean> {
    for (const [index, gate] of this.#rules.gates.entries()) {
      if (!(await isGated(gate, fact, { facts: view, place: index }))) continue;
      const summary = await summaryOf(gate, fact, index);
      this.#exceptions.push({ at, type: 'gated', gate: index, summary });
      this.#wait(fact);
      return true;
    }
    return false;
  }

  #wait(fact: Fact): void {
    this.#waiting ??= new Map();
    this.#waiting.set(fact.ref, fact);
  }

  #promote(fact: Fact): undefined {
    const { facts: limit } = this.#state.budgets;
    if (limit !== undefined && this.#facts.length >= limit) {
      this.full = true;
      return undefined;
    }
    this.#facts.add(fact);
    this.#promoted.push(fact.ref);
    return undefined;
  }

  /** A person's text is not thrown away for a slip: they are asked again. */
  #invalid({ passed, approval }: Queued, at: number, reason: string): undefined {
    if (passed !== undefined && approval?.decision === 'modified')
      this.#exceptions.push({ at, type: 'reopened', reason });
    else this.#reject(at, { why: 'invalid', reason });
    return undefined;
  }

  #reject(at: number, rejected: Rejected): undefined {
    this.#exceptions.push({ at, type: 'rejected', ...rejected });
    return undefined;
  }

  done(held: number): Merged {
    return { facts: this.#facts.log(), promoted: this.#promoted, exceptions: this.#exceptions, held };
  }
}

/** Asks a promotion gate: true, false or why not. */
async function askPromotionGate(name: string, admit: () => ReturnType<AdmitProposal>): Promise<boolean | string> {
  const rule = `The promotion gate ${JSON.stringify(name)}`;
  const said = await callRule(rule, admit);
  if (typeof said === 'boolean' || typeof said === 'string') return said;
  throw wrongVerdict(rule, said, 'true, false or a reason');
}

/** How a proposal is shown to the person who decides. */
async function summaryOf({ options: { summary } }: Gate, fact: Fact, place: number): Promise<string> {
  if (summary === undefined) return contentOf(fact);
  const rule = `gates[${place}].summary`;
  const said: unknown = await callRule(rule, () => summary(fact));
  if (typeof said === 'string') return said;
  throw wrongVerdict(rule, said, 'a text');
}

function contentOf({ ref, payload, by }: Fact): string {
  const { text } = payload as { readonly text?: unknown };
  return `${by} proposes ${ref}: ${typeof text === 'string' ? text : JSON.stringify(payload)}`;
}
