import { checkOptions, invalidOption, oneWord, someFunction, someText } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import { checkKey, isConfidence } from '../facts/fact.js';
import type { FactView } from '../facts/fact-view.js';
import { callRule } from './call-rule.js';

/** A proposal with everything that it will be as a fact. */
export interface FactCandidate {
  readonly ref: string;
  readonly key: string;
  readonly id: string;
  readonly subject?: string;
  readonly family: string;
  readonly version: number;
  readonly payload: JsonValue;
  readonly confidence: number;
  readonly provenance: string;
  readonly by: string;
}

/** Which proposals need a person. All conditions that are given must hold. */
export interface GateOptions {
  readonly key?: string;
  /** The name of the suggestor; `input` for what the run is given. */
  readonly by?: string;
  /** Gates a confidence of this or less; 1 gates everything. */
  readonly confidenceAtMost?: number;
  readonly when?: (proposal: FactCandidate, facts: FactView) => boolean | Promise<boolean>;
  /** The question to the person; the content unless given. */
  readonly summary?: (proposal: FactCandidate) => string;
  /** How long there is to answer. */
  readonly deadline?: Duration;
  /** The effect of the deadline; `end` unless given: the run ends as `gate_expired`. `escalate` opens a new gate, at most 3 times. */
  readonly onExpiry?: 'end' | 'reject' | 'approve' | 'escalate';
  /** Who is asked next, and for how long; the same time as before unless given. */
  readonly escalation?: { readonly to: string; readonly deadline?: Duration };
}

/** A human gate. */
export interface Gate<TKind extends string = string> {
  readonly options: GateOptions;
  readonly deadlineMs?: number;
  readonly escalationMs?: number;
  /** Types only: what it adds to the endings of the run. */
  readonly kinds?: () => TKind;
}

type KindsOfGate<TOptions> =
  | 'gate_pending'
  | (TOptions extends { readonly deadline: Duration } ? Expiring<TOptions> : never);

type Expiring<TOptions> = TOptions extends { readonly onExpiry: 'reject' | 'approve' } ? never : 'gate_expired';

/** How often a gate is opened anew for someone else. */
export const mostEscalations = 3;

const names = [
  'key',
  'by',
  'confidenceAtMost',
  'when',
  'summary',
  'deadline',
  'onExpiry',
  'escalation',
] as const satisfies readonly (keyof GateOptions)[];

const builder = 'gate';

/**
 * Lets a person decide on proposals before they become facts.
 *
 * @example
 * gate({ key: 'decision', when: (proposal) => proposal.confidence < 0.9, deadline: '2d', onExpiry: 'reject' });
 */
export function gate<const TOptions extends GateOptions>(options: TOptions): Gate<KindsOfGate<TOptions>> {
  const { deadline, onExpiry, escalation } = checkOptions<GateOptions>(options, builder, names);
  checkPolicy(options);
  if (onExpiry !== undefined)
    oneWord(onExpiry, { builder, option: 'onExpiry' }, ['end', 'reject', 'approve', 'escalate']);
  if (escalation !== undefined) checkEscalation(escalation, onExpiry);
  const ask = (option: string, value: Duration): number => durationLimit(value, { builder, option });
  if (onExpiry !== undefined && deadline === undefined)
    throw new FullstopError(
      'INVALID_OPTION',
      `gate: onExpiry is ${JSON.stringify(onExpiry)}, but there is no deadline.`,
    );
  return {
    options,
    ...(deadline !== undefined && { deadlineMs: ask('deadline', deadline) }),
    ...(escalation?.deadline !== undefined && { escalationMs: ask('escalation.deadline', escalation.deadline) }),
  };
}

/** A condition that cannot be meant would gate nothing. */
function checkPolicy({ key, by, confidenceAtMost, when, summary }: GateOptions): void {
  if (key !== undefined) checkKey(key, { builder, option: 'key' });
  if (by !== undefined) someText(by, { builder, option: 'by' });
  for (const [option, value] of Object.entries({ when, summary }))
    if (value !== undefined) someFunction(value, { builder, option });
  if (confidenceAtMost !== undefined && !isConfidence(confidenceAtMost))
    throw invalidOption(confidenceAtMost, { builder, option: 'confidenceAtMost' }, 'a number from 0 to 1');
}

function checkEscalation(escalation: NonNullable<GateOptions['escalation']>, onExpiry: GateOptions['onExpiry']): void {
  const { to } = checkOptions(escalation, 'escalation', ['to', 'deadline']);
  someText(to, { builder: 'escalation', option: 'to' });
  if (onExpiry === 'escalate') return;
  const expected = 'left out, because onExpiry is not "escalate"';
  throw invalidOption(escalation, { builder, option: 'escalation' }, expected);
}

/** True when a gate wants a person to look at a proposal. */
export function isGated(
  { options }: Gate,
  proposal: FactCandidate,
  { facts, place }: { readonly facts: FactView; readonly place: number },
): boolean | Promise<boolean> {
  const { key, by, confidenceAtMost, when } = options;
  if (key !== undefined && key !== proposal.key) return false;
  if (by !== undefined && by !== proposal.by) return false;
  if (confidenceAtMost !== undefined && proposal.confidence > confidenceAtMost) return false;
  return when === undefined ? true : isWanted(`gates[${place}].when`, () => when(proposal, facts));
}

/** Anything but yes or no could let pass what nobody has seen. */
async function isWanted(rule: string, when: () => boolean | Promise<boolean>): Promise<boolean> {
  return yesOrNo(rule, await callRule(rule, when));
}
