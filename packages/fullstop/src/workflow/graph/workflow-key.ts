import { lastPart, makePart, parentScope, parsePart } from '../../run/journal/scope-path.js';

/** The grammar of the keys in the journal of a workflow: `set:m#2`, `route:m`, and the units `m#2`, `p.a~2` and `g[3]`. */

/** The key of a step without a unit of its own: its type, and the name that its unit would have. */
export interface StepKey {
  readonly type: string;
  /** The name that its unit would have. */
  readonly unit: string;
}

export function makeStepKey({ type, unit }: StepKey): string {
  return `${type}:${unit}`;
}

/** Reads such a key; other bodies have keys of the same form, so that only known types count. */
export function parseStepKey(key: string, isType: (type: string) => boolean = isBuiltInType): StepKey | undefined {
  const [, type, unit = ''] = /^([a-z]\w*):(.*)$/s.exec(key) ?? [];
  return type === undefined || !isType(type) ? undefined : { type, unit };
}

/** The built-in types of step without a unit of their own; a test holds them to the table of step types. */
export const typesWithoutUnit: readonly string[] = ['script', 'set', 'terminate'];

function isBuiltInType(type: string): boolean {
  return typesWithoutUnit.includes(type);
}

/** The kinds of groups, as a workflow announces them. */
export const groupKinds = ['parallel', 'for_each'] as const;

/** True for the kind of a group: its members begin together. */
export function isGroupKind(kind: string): boolean {
  return (groupKinds as readonly string[]).includes(kind);
}

/** The key of the record with which a workflow begins. */
export const startKey = 'start';

/** A decision of the workflow itself, such as a route, with the step that it is about. */
export interface RecordKey {
  readonly type: string;
  readonly about: string;
}

export function makeRecordKey({ type, about }: RecordKey): string {
  return `${type}:${about}`;
}

export function parseRecordKey(key: string): RecordKey | undefined {
  const [, type, about = ''] = /^([a-z]\w*):(.*)$/s.exec(key) ?? [];
  return type === undefined ? undefined : { type, about };
}

/** True for the key of a record of a type. Nothing is parsed: every observation is asked. */
export function isRecordKey(key: string, type: string): boolean {
  return key.startsWith(type) && key[type.length] === ':';
}

/** The unit of a step: `m`, and `m#2` when it is entered again. */
export interface VisitedUnit {
  readonly name: string;
  readonly visit: number;
}

export function makeVisitedUnit({ name, visit }: VisitedUnit): string {
  return makePart({ name, visit });
}

/** Unlike units of other runs these have no mark of an attempt: the name of a step may end like one. */
export function parseVisitedUnit(unit: string): VisitedUnit {
  const [, name = unit, visit = 1] = /^(.*)#([2-9]|[1-9]\d+)$/s.exec(unit) ?? [];
  return { name, visit: Number(visit) };
}

/** The unit of a step that a parallel group runs: `p.a`, and `p.a~2` when the group names it twice. */
export interface ParallelMember {
  /** The unit of the group, with its visit. */
  readonly group: string;
  readonly name: string;
  /** Counted from 1. */
  readonly occurrence: number;
}

/** Makes the name of the unit of a member of a parallel group. */
export function makeParallelUnit({ group, name, occurrence }: ParallelMember): string {
  return `${group}.${makePart({ name, attempt: occurrence })}`;
}

/** The unit of an item of a for-each group: `g[3]`. */
export interface GroupItem {
  readonly group: string;
  readonly index: number;
}

export function makeItemUnit({ group, index }: GroupItem): string {
  return `${group}[${index}]`;
}

/** The item of a for-each group that a unit is. */
export function parseItemUnit(unit: string): GroupItem | undefined {
  const [, group = '', index] = /^(.*)\[(\d+)\]$/s.exec(unit) ?? [];
  return index === undefined ? undefined : { group, index: Number(index) };
}

/** The place of a unit in a group whose name is known: names of groups and steps may contain dots and brackets. */
export type MemberPlace = { readonly member: string } | { readonly index: number };

/** Reads the name of the unit of a member of a group. */
export function parseMemberUnit(unit: string, group: string): MemberPlace | undefined {
  if (!unit.startsWith(group)) return undefined;
  const [, member, index] = /^(?:#\d+)?(?:\.(.*)|\[(\d+)\])$/s.exec(unit.slice(group.length)) ?? [];
  if (member !== undefined) return { member };
  return index === undefined ? undefined : { index: Number(index) };
}

/** The names that the step of a unit may have in the file: its own, or that of a member of a group. */
export function possibleStepNames(unit: string): readonly string[] {
  const { name } = parsePart(parseItemUnit(unit)?.group ?? unit);
  return [name, name.slice(name.lastIndexOf('.') + 1)];
}

/** The unit of one turn of the conversation about the output of a step. */
export function makeDialogUnit(turn: number): string {
  return `dialog ${turn}`;
}

/** The unit that decides whether there is anything to talk about. */
export const dialogUnit = 'dialog';

/** True for the units of a conversation about the output of a step. */
export function isDialogUnit(unit: string): boolean {
  return unit.startsWith(dialogUnit);
}

/** The key of the record with which the step of an agent begins. */
export const promptKey = 'prompt';

/** The units of a step whose output is reviewed: the agent itself, before and after each review. */
export const reviewedUnits = {
  agent: 'agent',
  afterDialog: 'agent after dialog',
  afterValidation: 'agent after validation',
  validator: 'validator',
} as const;

/** The names under which whoever asks a model in a scope may be known, the likelier first: a step may be called like a unit of the review of another one. */
export function possibleAskers(scope: string): readonly string[] {
  const unit = lastPart(scope);
  const step = possibleStepNames(lastPart(parentScope(scope)));
  const named = possibleStepNames(unit);
  if (isDialogUnit(unit)) return [...step.map((name) => `${name} (dialog)`), ...named];
  if (unit === reviewedUnits.validator) return [...step.map((name) => `${name} (validator)`), ...named];
  const { agent, afterDialog, afterValidation } = reviewedUnits;
  return [agent, afterDialog, afterValidation].some((each) => each === unit) ? [...step, ...named] : named;
}

/** The id of a question that a unit asks: its scope with the subject, and a number when it is asked again. */
export function makeQuestionId(
  scope: string,
  { subject, turn }: { subject?: string; turn?: number | undefined },
): string {
  return `${scope}${subject === undefined ? '' : `.${subject}`}${turn === undefined ? '' : `~${turn}`}`;
}

/** True for the id of such a question about a subject, the first time or again. */
export function isQuestionId(id: string, { scope, subject }: { scope: string; subject: string }): boolean {
  const first = makeQuestionId(scope, { subject });
  return id === first || (id.startsWith(`${first}~`) && /^\d+$/.test(id.slice(first.length + 1)));
}
