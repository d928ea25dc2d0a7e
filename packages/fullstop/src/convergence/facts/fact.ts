import { invalidOption, type OptionPlace } from '../../stop/check-option.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { FactFamily } from '../options/family.js';

/** Who let a proposal pass, where a person had to. */
export interface FactApproval {
  readonly gateId: string;
  /** Modified means that the person changed the content; expired that the deadline decided. */
  readonly decision: 'approved' | 'modified' | 'expired';
  readonly by?: string;
  readonly reason?: string;
  /** The instant of the decision. */
  readonly at: string;
}

/** Something that holds. Facts are never changed and never removed. */
export interface Fact<TPayload = JsonValue> {
  /** `key/id`: names the fact within the run. */
  readonly ref: string;
  readonly key: string;
  readonly id: string;
  readonly subject?: string;
  /** The kind of its content, and the version of that. */
  readonly family: string;
  readonly version: number;
  readonly payload: TPayload;
  /** From 0 to 1, as it was proposed. */
  readonly confidence: number;
  readonly provenance: string;
  /** The suggestor that proposed it; `input` for what the run was given, `engine` for what the run found out itself. */
  readonly by: string;
  /** The cycle whose merge promoted it, 0 for inputs. */
  readonly cycle: number;
  /** Counts the facts of a run, through pauses and restored snapshots. */
  readonly clock: number;
  /** The facts that it follows from, where its suggestor says so. */
  readonly because?: readonly string[];
  readonly approval?: FactApproval;
}

/** A fact, or its reference. */
export type FactOrRef = string | Pick<Fact<unknown>, 'ref'>;

export function isFactOrRef(value: unknown): value is FactOrRef {
  return typeof value === 'string' || (isObject(value) && typeof value['ref'] === 'string');
}

export function refOf(fact: FactOrRef): string {
  return typeof fact === 'object' ? fact.ref : fact;
}

/** Options of a fact beside its content. */
export interface FactOptions {
  /** Derived from the content unless given, so that the same content is the same fact. */
  readonly id?: string;
  readonly subject?: string;
  /** 1 unless given. */
  readonly confidence?: number;
  /** Where it comes from; the name of the suggestor unless given. */
  readonly provenance?: string;
  /** The facts, or their references, that it follows from. */
  readonly because?: readonly FactOrRef[];
}

/** A fact that is not yet one: it has to pass validation, promotion gates and human gates. */
export interface Proposal {
  readonly key: string;
  readonly payload: JsonValue;
  readonly id?: string;
  readonly subject?: string;
  readonly family?: string;
  readonly version?: number;
  readonly confidence?: number;
  readonly provenance?: string;
  readonly because?: readonly string[];
}

const keyPattern = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const idPattern = /^[\p{L}\p{N}][\p{L}\p{N}:._@#+-]{0,127}$/u;

/** Completes the sentence "the key must be …". */
const keyForm = 'a letter followed by at most 63 letters, digits, ".", "_" or "-"';
const idForm = 'a letter or digit followed by at most 127 letters, digits or ":._@#+-"';

/** A key that facts may stand under; any other would never have one. */
export function checkKey(key: unknown, place: OptionPlace): void {
  if (!isKey(key)) throw invalidOption(key, place, keyForm);
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' && keyPattern.test(key);
}

/**
 * A fact to start with, under a key or in a family.
 *
 * @example
 * fact('request', { amount: 18_000, vendor: 'ACME' }, { id: 'po-4711' });
 */
export function fact<TPayload>(key: FactFamily<TPayload>, payload: TPayload, options?: FactOptions): Proposal;
export function fact(key: string, payload: unknown, options?: FactOptions): Proposal;
export function fact(key: string | FactFamily<unknown>, payload: unknown, options: FactOptions = {}): Proposal {
  const proposal = proposalOf(key, payload, options);
  const problem = problemOf(proposal) ?? reservedKey(proposal);
  if (problem !== undefined) throw wrongFact(proposal, problem);
  return proposal;
}

/** Refuses a fact that nobody could have made: it may come from elsewhere as JSON. */
export function checkFact(proposal: Proposal): void {
  if (!isObject(proposal))
    throw new FullstopError('INVALID_OPTION', `A fact is ${found(proposal)}; make it with fact(key, payload).`);
  for (const name in proposal) if (!Object.hasOwn(factFields, name)) throw unknownOption(name, Object.keys(factFields));
  const problem = problemOf(proposal) ?? reservedKey(proposal);
  if (problem !== undefined) throw wrongFact(proposal, problem);
}

function wrongFact({ key }: Proposal, problem: string): FullstopError {
  return new FullstopError('INVALID_OPTION', `A fact under ${found(key)}: ${problem}`);
}

function unknownOption(name: string, known: readonly string[]): FullstopError {
  const hint = suggestion(name, known);
  return new FullstopError(
    'INVALID_OPTION',
    `A fact has no option ${JSON.stringify(name)}${hint}; there are ${known.join(', ')}.`,
  );
}

const optionFields: Required<Record<keyof FactOptions, true>> = {
  id: true,
  subject: true,
  confidence: true,
  provenance: true,
  because: true,
};

/** The fields of a fact of another run, too, which may be passed as it is. */
export const factFields: Required<Record<keyof Fact, true>> = {
  ...optionFields,
  key: true,
  payload: true,
  family: true,
  version: true,
  ref: true,
  by: true,
  cycle: true,
  clock: true,
  approval: true,
};

/** A proposal as it is in the journal: nothing in it that was not said. */
export function proposalOf(key: string | FactFamily<unknown>, payload: unknown, options: FactOptions): Proposal {
  // A confidence that is misspelt would be full confidence, and pass gates.
  for (const name in options)
    if (!Object.hasOwn(optionFields, name)) throw unknownOption(name, Object.keys(optionFields));
  const { id, subject, confidence, provenance, because } = options;
  const draft: Record<string, unknown> = { key: typeof key === 'string' ? key : key.key, payload };
  if (id !== undefined) draft['id'] = id;
  if (subject !== undefined) draft['subject'] = subject;
  if (confidence !== undefined) draft['confidence'] = confidence;
  if (provenance !== undefined) draft['provenance'] = provenance;
  if (because !== undefined) draft['because'] = Array.isArray(because) ? because.map(refOf) : because;
  if (typeof key === 'object') {
    draft['family'] = key.name;
    draft['version'] = key.version;
  }
  return draft as unknown as Proposal;
}

/** The problem with the form of a proposal, if there is one. Its content is for its family to judge. */
export function problemOf(proposal: Proposal): string | undefined {
  const { key, id, subject, confidence, provenance, payload, because } = proposal;
  if (!isKey(key)) return `the key is ${found(key)}; it must be ${keyForm}`;
  if (id !== undefined && !isId(id)) return `the id is ${found(id)}; it must be ${idForm}`;
  if (payload === undefined || payload === null || isBlank(payload)) return 'the content is empty';
  if (subject !== undefined && !isText(subject)) return wrongText('subject', subject);
  if (confidence !== undefined && !isConfidence(confidence))
    return `the confidence is ${found(confidence)}; it must be a number from 0 to 1`;
  if (provenance !== undefined && !isText(provenance)) return wrongText('provenance', provenance);
  if (because !== undefined && !isListOfTexts(because))
    return `because is ${found(because)}; it must be a list of facts or their references`;
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

export function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function blankText(field: string): string {
  return `the ${field} is blank; leave it out`;
}

/** The problem of a proposal that does not say where it comes from, although it seems to. */
export const blankProvenance: string = blankText('provenance');

function wrongText(field: string, value: unknown): string {
  if (typeof value === 'string') return blankText(field);
  return `the ${field} is ${found(value)}; it must be a text`;
}

/** The key of the facts that violations become; suggestors that depend on it can put things right. */
export const violationKey = 'violation';

/** Why nobody may propose under a key: what the run itself found out must not be forged. */
export function reservedKey({ key }: Pick<Proposal, 'key'>): string | undefined {
  return key === violationKey ? `the key ${key} is for what the run itself finds out; use another one` : undefined;
}

export function isConfidence(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && idPattern.test(id);
}

/** True for text of nothing but space, as the content itself or as its `text`. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  const { text } = value as { readonly text?: unknown };
  return typeof text === 'string' && text.trim() === '';
}
