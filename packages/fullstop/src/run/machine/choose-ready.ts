import type { OpenDecision } from './fold-machine.js';
import type { MachineEffect } from './machine.js';

export type SoleEffect<TPlan> = Extract<MachineEffect<TPlan>, { type: 'step' | 'record' }>;

/** An effect under way, as far as it matters for what is folded in next. */
export interface Candidate {
  readonly isRequest: boolean;
  /** True once there is an observation of it. */
  readonly isObserved: boolean;
  /** The place of its outcome in the journal. */
  readonly seq: number;
}

export interface Choice {
  /** The keys that the journal names for this point, where the machine continued although units waited. */
  readonly evaluated: readonly string[] | undefined;
  /** How many effects, requests aside, have no observation yet. */
  readonly undone: number;
  /** True when only people can bring those any further. */
  readonly restWaits: boolean;
}

/**
 * Chooses what is folded in together: what the journal names; else all of a batch in the order in which it was started, after
 * the answers that were journalled before its last outcome; else, where everything waits, the answer that came first.
 */
export function chooseReady<TCandidate extends Candidate>(
  underWay: ReadonlyMap<string, TCandidate>,
  { evaluated, undone, restWaits }: Choice,
): readonly TCandidate[] {
  if (evaluated !== undefined) {
    const named = evaluated.flatMap((key) => underWay.get(key) ?? []);
    return named.length === evaluated.length && named.every(({ isObserved }) => isObserved) ? named : [];
  }
  if (undone > 0 && !restWaits) return [];
  const all = [...underWay.values()];
  const done = all.filter(({ isRequest, isObserved }) => isObserved && !isRequest);
  if (done.length === all.length) return done;
  const answered = all
    .filter(({ isRequest, isObserved }) => isObserved && isRequest)
    .sort((left, right) => left.seq - right.seq);
  if (done.length === 0) return answered.slice(0, 1);
  const last = done.reduce((latest, { seq }) => Math.max(latest, seq), 0);
  return [...answered.filter(({ seq }) => seq < last), ...done];
}

/** The effects of a decision that are new. The others wait for a person: asking for them again changes nothing. */
export function newEffects<TPlan>(
  { effects }: Extract<OpenDecision<TPlan>, { type: 'perform' }>,
  underWay: { has(key: string): boolean },
): readonly MachineEffect<TPlan>[] {
  return effects.filter(({ key }) => !underWay.has(key));
}

/** The open requests that are not among these effects. */
export function unaskedRequests<TRequest extends { readonly key: string; readonly requestId: string | undefined }>(
  underWay: Iterable<TRequest>,
  effects: readonly { readonly key: string }[],
): readonly (TRequest & { readonly requestId: string })[] {
  const isAsked = new Set(effects.map(({ key }) => key));
  return [...underWay].filter(
    (task): task is TRequest & { readonly requestId: string } => task.requestId !== undefined && !isAsked.has(task.key),
  );
}

/** True when one of the effects of a decision may stop the others. */
export function isStoppable({
  effects,
  failFast,
  stopAt,
}: Extract<OpenDecision<unknown>, { type: 'perform' }>): boolean {
  return (failFast === true || stopAt !== undefined) && effects.length > 1;
}

/** The only effect of a decision that a limit may stop: it is a batch of its own, whose entries are at its own place. */
export function loneEffect<TPlan>({
  effects: [effect, ...others],
  stopAt,
}: Extract<OpenDecision<TPlan>, { type: 'perform' }>): MachineEffect<TPlan> | undefined {
  if (stopAt === undefined || others.length > 0) return undefined;
  return effect?.type === 'unit' || effect?.type === 'step' ? effect : undefined;
}

/** The step or record of a decision that wants nothing else: most are like that, and need no bookkeeping. */
export function soleEffect<TPlan>(decision: OpenDecision<TPlan>): SoleEffect<TPlan> | undefined {
  if (decision.type !== 'perform' || decision.effects.length !== 1 || decision.isDecided === true) return undefined;
  const [effect] = decision.effects;
  return effect?.type === 'step' || effect?.type === 'record' ? effect : undefined;
}
