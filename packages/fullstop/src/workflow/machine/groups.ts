import { added, emptyLog, itemsOf, logOf } from '../../run/log.js';
import { valueFromJson, writeJsonText } from '../../template/json-text.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Failed } from '../../termination/kinds/error.js';
import { terminations } from '../../termination/terminations.js';
import type { ListedItem } from '../graph/group-type.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { GroupUnit } from '../graph/unit.js';
import { isPause, makeStepFailure } from './fail.js';
import type { Program } from './program.js';
import type { Draft, Failure, GroupProgress, MemberResult } from './state.js';

/** A group at its beginning. */
export function beginGroup(size: number, items: readonly ListedItem[]): GroupProgress {
  return { items, size, todo: Array.from({ length: size }, (_, index) => index), before: 0, results: emptyLog() };
}

/** The group with what came of one more member. */
export function withResult(group: GroupProgress, result: MemberResult): GroupProgress {
  return { ...group, results: added(group.results, result) };
}

/** True when every member that was to be performed has a result. */
export function isGroupDone({ results, size }: GroupProgress): boolean {
  return results.length >= size;
}

/** Continues with the members that failed, after a resume; those that are done stay done. */
export function withoutFailures(group: GroupProgress): GroupProgress {
  return continueWith(group, (result) => 'output' in result);
}

/** Continues with the members whose failure is one of these. */
export function withoutOldFailures(group: GroupProgress, isOld: (result: MemberResult) => boolean): GroupProgress {
  return continueWith(group, (result) => !isOld(result));
}

/** Continues with the members that waited for a person; a failure of another one stands, since nobody asked to try it again. */
export function withoutPauses(group: GroupProgress): GroupProgress {
  return continueWith(group, (result) => 'output' in result || !isPause(result.failure));
}

function continueWith(group: GroupProgress, isDone: (result: MemberResult) => boolean): GroupProgress {
  const done = itemsOf(group.results).filter(isDone);
  const known = new Set(done.map(({ index }) => index));
  const todo = Array.from({ length: group.size }, (_, index) => index).filter((index) => !known.has(index));
  return { ...group, todo, before: done.length, results: logOf(done) };
}

/** The output of a finished group as JSON text, or its failure. */
export function settleGroup(draft: Draft, node: GroupUnit, program: Program): { readonly output: string } | Failure {
  const group = draft.group as GroupProgress;
  const results = [...itemsOf(group.results)].sort((left, right) => left.index - right.index);
  const failures = results.flatMap((result) => ('failure' in result ? [result] : []));
  const nameOf = ({ index }: FailedMember): string => memberNameOf(node, group, index);
  const paused = failures.find(({ failure }) => isPause(failure));
  if (paused !== undefined)
    return groupFailure({ message: paused.failure.error.message, first: paused, failures, nameOf });
  const stopped = stoppedMember(node, failures);
  if (stopped !== undefined)
    return groupFailure({ message: stopped.failure.error.message, first: stopped, failures, nameOf });
  const first = firstOf(group, failures);
  const message = first === undefined ? undefined : groupMessage(node, group, { first, failures });
  if (first !== undefined && message !== undefined) return groupFailure({ message, first, failures, nameOf });
  return { output: groupOutput(node, group, { results, lenient: program.lenient }) };
}

/** A member that was stopped with the whole run: only a group that fails fast stops members itself. */
export function stoppedMember({ group }: GroupUnit, results: readonly MemberResult[]): FailedMember | undefined {
  if (group.failure_mode === 'fail_fast') return undefined;
  return results.flatMap((result) => ('failure' in result ? [result] : [])).find(({ failure }) => wasStopped(failure));
}

type FailedMember = Extract<MemberResult, { failure: Failure }>;

/** The failure that came first; members that were stopped because of it never count. */
function firstOf({ results }: GroupProgress, failures: readonly FailedMember[]): FailedMember | undefined {
  const inOrder = itemsOf(results).flatMap((result) => ('failure' in result ? [result] : []));
  return inOrder.find(({ failure }) => !wasStopped(failure)) ?? failures[0];
}

/** True for a member that only ended because another one failed. */
export function wasStopped({ unit, error }: Failure): boolean {
  if (error.code === 'BATCH_STOPPED') return true;
  const termination = unit?.termination as (Ending & { readonly by?: unknown }) | undefined;
  return termination?.kind === 'cancelled' && termination.by === 'parent';
}

interface Failures {
  readonly first: FailedMember;
  readonly failures: readonly FailedMember[];
}

/** Why the group fails; undefined when its failure mode lets it continue. */
function groupMessage(node: GroupUnit, group: GroupProgress, { first, failures }: Failures): string | undefined {
  const { name, failure_mode: mode } = node.group;
  const type = groupTypeOf(node);
  const { words } = type;
  const nameOf = ({ index }: FailedMember): string => type.memberName(node, group.items, index);
  const text = ({ error }: Failure): string => `${error.name}: ${error.message}`;
  switch (mode) {
    case 'fail_fast':
      return `${words.member} '${nameOf(first)}' in ${words.group} '${name}' failed (fail_fast mode): ${text(first.failure)}`;
    case 'continue_on_error': {
      if (failures.length < group.size) return undefined;
      const list = failures.map((each) => `  - ${nameOf(each)}: ${text(each.failure)}`);
      return [`All ${words.members} in ${words.group} '${name}' failed:`, ...list].join('\n');
    }
    case 'all_or_nothing': {
      const counts = `(${group.size - failures.length} succeeded, ${failures.length} failed)`;
      return `${words.title} group '${name}' failed in all_or_nothing mode ${counts}: ${text(first.failure)}`;
    }
    default:
      return assertNever('Unknown failure mode', mode);
  }
}

/** A member as people know it: the name of its step, or the group with the key of its item. */
function memberNameOf(node: GroupUnit, { items }: GroupProgress, index: number): string {
  const type = groupTypeOf(node);
  const name = type.memberName(node, items, index);
  return type.itemOf(node, items, index) === undefined ? name : `${node.group.name}[${name}]`;
}

interface GroupFailure extends Failures {
  readonly message: string;
  nameOf(member: FailedMember): string;
}

function groupFailure({ message, first, failures, nameOf }: GroupFailure): Failure {
  const { failure } = first;
  const others = failures.filter((each) => each !== first && !wasStopped(each.failure));
  const data = { members: [first, ...others].map(nameOf) };
  const error: ErrorData = { name: 'ExecutionError', message, data, cause: failure.error };
  if (failure.unit === undefined) {
    const { errorClass } = failure.termination as Partial<Failed>;
    return { error, termination: makeStepFailure(error, errorClass ?? 'unknown') };
  }
  const { path, termination } = failure.unit;
  const beside = others.flatMap((each) => {
    const { unit } = each.failure;
    return unit === undefined
      ? []
      : [{ child: { name: nameOf(each), path: unit.path }, termination: unit.termination }];
  });
  const child = { child: { name: nameOf(first), path }, termination } as never as {
    child: { name: string; path: string };
  };
  const fields = { ...child, ...(beside.length > 0 && { others: beside }) };
  return { error, termination: terminations.childFailed(fields as never) };
}

interface Members {
  readonly results: readonly MemberResult[];
  readonly lenient: boolean;
}

function groupOutput(node: GroupUnit, group: GroupProgress, { results, lenient }: Members): string {
  const type = groupTypeOf(node);
  const outputs = new Map<string, string>();
  const list: string[] = [];
  const errors: string[] = [];
  for (const result of results) {
    const name = type.memberName(node, group.items, result.index);
    if ('output' in result) {
      outputs.set(name, result.output);
      list.push(result.output);
    } else errors.push(`${quote(name)}: ${errorEntry(node, name, { failure: result.failure, lenient })}`);
  }
  const map = [...outputs].map(([name, text]) => `${quote(name)}: ${text}`).join(', ');
  const all = type.isKeyed(node) ? `{${map}}` : `[${list.join(', ')}]`;
  const count = type.showsCount ? `, "count": ${group.size}` : '';
  return `{"type": "${node.type}", "outputs": ${all}, "errors": {${errors.join(', ')}}${count}}`;
}

interface FailedEntry {
  readonly failure: Failure;
  readonly lenient: boolean;
}

/** A failure as templates see it; ours has the whole ending too. */
function errorEntry(node: GroupUnit, name: string, { failure, lenient }: FailedEntry): string {
  const { error, unit, termination } = failure;
  const entry = {
    [groupTypeOf(node).errorKey]: name,
    exception_type: error.name,
    message: error.message,
    suggestion: null,
    ...(!lenient && { ending: (unit?.termination ?? termination) as unknown as JsonValue }),
  };
  return writeJsonText(valueFromJson(entry as JsonValue));
}

function quote(text: string): string {
  return JSON.stringify(text);
}
