import { outcome } from '../termination/classify.js';
import type { Ending } from '../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import { builtIns, type TerminationRegistry } from '../termination/registry.js';
import { rootCause } from '../termination/root-cause.js';
import { badPayload } from './bad-payload.js';
import {
  type Dialect,
  defineDialect,
  type ForeignFields,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
  type Parts,
} from './dialect.js';
import { outcomeOf } from './general-word.js';
import { double } from './number-type.js';
import { plainWords } from './plain-words.js';
import { type Conversion, number, specialWord, word } from './word.js';

/** A terminal event of a Conductor run. Its time stamp and the time that the run took are no evidence and left out. */
export interface ConductorEvent extends JsonObject {
  readonly type: 'workflow_completed' | 'workflow_failed';
  readonly data: JsonObject;
}

/** Fifteen digits survive the way there and back, whatever the fraction. */
const seconds: Conversion = {
  toTheirs: (milliseconds) => Number((milliseconds / 1000).toPrecision(15)),
  toOurs: (value) => Number((value * 1000).toPrecision(15)),
};

const duration = {
  elapsed_seconds: number('elapsedMs', double, seconds),
  timeout_seconds: number('limitMs', double, seconds),
} as const;

const words: readonly ForeignWord[] = [
  word('workflow_completed', 'flow_completed', { note: 'The output is beside the termination, not in it.' }),
  makeTerminateWord('workflow_completed:explicit', 'success'),
  makeTerminateWord('workflow_failed:WorkflowTerminated', 'failed'),
  specialWord('workflow_failed:SubworkflowTerminatedError', 'child_failed', {
    implied: { termination: { kind: 'terminated', status: 'failed' } },
    carries: ['agent_name → child.name'],
    note: "The reason, the step and the output of the child's own end are not in the event.",
    fits: (t) => isEndedByTerminate(t),
    write: (t) => omitUndefined({ agent_name: t.child?.name }),
    read(payload) {
      const name = textOf(payload, 'agent_name');
      return name === undefined ? {} : { child: { name } };
    },
  }),
  word('workflow_failed:MaxIterationsError', 'max_iterations', {
    implied: { unit: 'step' },
    note: 'The numbers are only in the prose of its message, which is not read.',
  }),
  word('workflow_failed:TimeoutError', 'time_budget', { implied: { scope: 'run' }, carries: duration }),
  word('workflow_failed:AgentTimeoutError', 'time_budget', { implied: { scope: 'step' }, carries: duration }),
  word('workflow_failed:BudgetExceededError', 'cost_budget', {
    carries: { budget_usd: number('limitUsd', double), spent_usd: number('usedUsd', double) },
  }),
  makeStopWord('workflow_failed:InterruptError'),
  makeStopWord('workflow_failed:stopped_by_user', 'workflow_failed:InterruptError'),
  failure('ConfigurationError', { errorClass: 'configuration' }),
  failure('ValidationError'),
  failure('TemplateError'),
  failure('ProviderError', { errorClass: 'external' }),
  failure('HumanGateError'),
  failure('ExecutionError'),
  failure('ValueError', {}, 'A route that is missing, or an expression that cannot be evaluated.'),
  failure('KeyError', {}, 'An explicit input that is missing.'),
  failure('EOFError', {}, 'A gate without anybody to answer it.'),
  specialWord('workflow_failed', 'failed', {
    carries: ['error_type → error.name', 'message → error.message'],
    note: 'Any other name of an error.',
    write: (t) => omitUndefined({ error_type: errorType(t.error?.name), message: t.error?.message }),
    read: readFailure,
  }),
];

/** The errors that mean another kind; a failure with one of these names is written as a plain ExecutionError. */
const reserved: ReadonlySet<string> = new Set(words.filter((each) => each.kind !== 'failed').map((each) => each.word));

/** Conductor's terminal events: `workflow_completed` or `workflow_failed`, the latter with the class of the error. */
export const conductor: Dialect<ConductorEvent> = defineDialect<ConductorEvent>({
  name: 'conductor',
  title: 'Conductor',
  words,
  split,
  join,
  general: ({ word: name, payload }) =>
    name.startsWith('workflow_failed:') ? { word: 'workflow_failed', payload } : undefined,
  otherwise: writeGeneral,
});

/**
 * The exit code that Conductor's command line would have: 0 for success, 130 after Ctrl-C, 143 after a SIGTERM that the
 * reason names, 1 for everything else. A run that waits has no counterpart there and is 1.
 */
export function conductorExitCode(termination: Ending, registry: TerminationRegistry = builtIns): 0 | 1 | 130 | 143 {
  const { kind, by, reason } = termination as Ending & { readonly by?: unknown; readonly reason?: unknown };
  if (kind === 'cancelled' && by === 'signal') return String(reason).includes('SIGTERM') ? 143 : 130;
  const verdict = outcome(termination, registry);
  return verdict === 'succeeded' || verdict === 'skipped' ? 0 : 1;
}

function split(value: unknown): Parts | undefined {
  if (!isObject(value) || !isObject(value['data'])) return undefined;
  const payload = value['data'] as ForeignPayload;
  const { type } = value;
  const { error_type: error, is_explicit: isExplicit, stopped_by_user: isStopped } = payload;
  if (type === 'workflow_completed') return { word: isExplicit === true ? `${type}:explicit` : type, payload };
  if (type !== 'workflow_failed') return undefined;
  if (error === undefined || error === null) return { word: type, payload };
  if (typeof error !== 'string') return undefined;
  // A run that was killed from the dashboard has the general class of error and only this mark.
  const isKilled = isStopped === true && error !== 'InterruptError';
  return { word: isKilled ? `${type}:stopped_by_user` : `${type}:${error}`, payload };
}

function join(name: string, payload: ForeignPayload): ConductorEvent {
  if (name.startsWith('workflow_completed')) return { type: 'workflow_completed', data: payload };
  const [, error] = /^workflow_failed:(.*)$/s.exec(name) ?? [];
  return { type: 'workflow_failed', data: error === undefined ? payload : { error_type: error, ...payload } };
}

/** A `type: terminate` step, which is the one end that states its reason. */
function makeTerminateWord(name: string, status: 'success' | 'failed'): ForeignWord {
  return specialWord(name, 'terminated', {
    implied: { status },
    carries: ['termination_reason → reason', 'terminated_by → by', 'output'],
    write(t) {
      const { reason, by, output } = t as { reason?: string; by?: string; output?: JsonValue };
      const asError = status === 'failed' ? { message: reason, agent_name: by } : {};
      return omitUndefined({
        ...asError,
        termination_reason: reason,
        terminated_by: by,
        status,
        is_explicit: true,
        output,
      });
    },
    read(payload) {
      const reason = textOf(payload, 'termination_reason');
      const by = textOf(payload, 'terminated_by');
      return omitUndefined({ reason, by, output: payload['output'] });
    },
  });
}

/** Someone at the terminal or the dashboard stopped the run. */
function makeStopWord(name: string, canonical?: string): ForeignWord {
  return specialWord(name, 'cancelled', {
    ...(canonical !== undefined && { canonical }),
    implied: { by: 'operator' },
    carries: ['message → reason'],
    write: (t) => omitUndefined({ message: t.reason, stopped_by_user: true }),
    read: (payload) => omitUndefined({ reason: textOf(payload, 'message') }),
  });
}

function failure(error: string, fields: ForeignFields<'failed'> = {}, note?: string): ForeignWord {
  return specialWord(`workflow_failed:${error}`, 'failed', {
    implied: { error: { name: error }, ...fields },
    carries: ['message → error.message'],
    ...(note !== undefined && { note }),
    write: (t) => omitUndefined({ message: t.error?.message }),
    read: readFailure,
  });
}

function readFailure(payload: ForeignPayload): ForeignFields<'failed'> {
  const error = omitUndefined({ name: textOf(payload, 'error_type'), message: textOf(payload, 'message') });
  return Object.keys(error).length === 0 ? {} : { error };
}

function errorType(name: string | undefined): string | undefined {
  return name !== undefined && reserved.has(`workflow_failed:${name}`) ? 'ExecutionError' : name;
}

/** The same error passes through all levels, so what counts is the innermost end. */
function isEndedByTerminate(termination: ForeignTermination<'child_failed'>): boolean {
  if (termination.termination === undefined) return true;
  const inner = rootCause(termination as Ending) as ForeignTermination;
  return inner.kind === 'terminated' && inner.status !== 'success';
}

const errorTypes: Readonly<Record<string, string>> = {
  no_route: 'ValueError',
  provider_auth: 'ProviderError',
  provider_quota: 'ProviderError',
  provider_failed: 'ProviderError',
  no_answer: 'ProviderError',
  schema_validation: 'ValidationError',
  structured_output_exhausted: 'ValidationError',
};

/** It knows only success and failure; a run that waits has not ended there. */
function writeGeneral(termination: Ending | ForeignTermination, registry: TerminationRegistry): ConductorEvent | null {
  const { kind } = termination;
  if (kind === 'child_failed') return passThrough(termination as ForeignTermination<'child_failed'>, registry);
  const verdict = outcomeOf(termination, registry);
  if (verdict === undefined || verdict === 'paused' || verdict === 'cancelled') return null;
  if (verdict !== 'failed') return { type: 'workflow_completed', data: {} };
  return join(`workflow_failed:${errorTypes[kind] ?? 'ExecutionError'}`, {
    message: plainWords(termination, registry),
  });
}

/** A child's error becomes that of its parent, where the step is the one that ran the child. */
function passThrough(
  termination: ForeignTermination<'child_failed'>,
  registry: TerminationRegistry,
): ConductorEvent | null {
  const { value } = conductor.encode(rootCause(termination as Ending), { registry });
  if (value?.type !== 'workflow_failed') return value;
  return { type: value.type, data: { ...value.data, ...omitUndefined({ agent_name: termination.child?.name }) } };
}

function textOf(payload: ForeignPayload, member: string): string | undefined {
  const value = payload[member] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw badPayload('The event', member, 'a string');
  return value;
}

/** Without the members that are undefined. */
function omitUndefined<T extends object>(members: T): { [P in keyof T]?: Exclude<T[P], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [P in keyof T]?: Exclude<T[P], undefined> };
}
