import {
  amount,
  count,
  errorData,
  httpStatus,
  json,
  limit,
  listOf,
  oneOf,
  optional,
  positive,
  shape,
  text,
} from '../check.js';
import { termination } from '../check-termination.js';
import type { Category, Ending } from '../ending.js';
import type { ErrorData } from '../errors/error-data.js';
import type { JsonValue } from '../json.js';
import { capacity, fatal, type KindRows, outcomeOfCategory, type Resolver, retryable } from '../kind-row.js';
import type { AnyTermination } from '../kinds.js';
import { causeChain, rootCause } from '../root-cause.js';
import { colonText, counted, duration, grouped, inline, sentence } from '../text/wording.js';
import { actionOfCategory } from './extension.js';

/** Which unit inside the run ended. */
export interface ChildReference {
  readonly name: string;
  readonly path: string;
  readonly runId?: string;
}

/** Another unit that failed in addition to the first. */
export interface ChildEnding {
  readonly child: ChildReference;
  readonly termination: AnyTermination;
}

/** Something threw. */
export interface Failed extends Ending<'failed', 'retryable' | 'fatal', 'error'> {
  readonly error: ErrorData;
  readonly origin: 'tool' | 'hook' | 'stage' | 'loop' | 'step' | 'engine' | 'body';
  readonly errorClass: 'internal' | 'configuration' | 'external' | 'resource' | 'unknown';
}

/** The provider refused the credentials, or there are none: then there is no status, and the message says what to set. */
export interface ProviderAuth extends Ending<'provider_auth', 'fatal', 'error'> {
  readonly status?: number;
  readonly provider: string;
  /** The provider's own words. */
  readonly message?: string;
  /** The provider's id of the request that it refused. */
  readonly requestId?: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
}

/** The account has no credit or quota left: waiting does not help. */
export interface ProviderQuota extends Ending<'provider_quota', 'fatal', 'error'> {
  readonly status?: number;
  readonly provider: string;
  /** The provider's own words. */
  readonly message: string;
  /** The provider's id of the request that it refused. */
  readonly requestId?: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
}

/** The provider could not be reached or could not answer: rate limit, server error, network. */
export interface ProviderFailed extends Ending<'provider_failed', 'retryable', 'error'> {
  readonly status?: number;
  readonly attempts: number;
  readonly retryAfterMs?: number;
  readonly provider?: string;
  /** The code of the last error, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** The message of the last error. */
  readonly message?: string;
  /** The provider's id of the last request. */
  readonly requestId?: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
}

/** The model answered without a text, a call or an output, even after it was told so. */
export interface NoAnswer extends Ending<'no_answer', 'retryable', 'error'> {
  /** How many answers in a row were none. */
  readonly attempts: number;
  /** The provider's word for why the last one stopped, where it is not `stop`. */
  readonly finishReason?: string;
}

/** The prompt does not fit the model's context window. */
export interface PromptTooLong extends Ending<'prompt_too_long', 'capacity', 'error'> {
  readonly limit?: number;
  readonly used?: number;
  readonly status?: number;
  /** The provider's own words. */
  readonly message?: string;
  /** The provider's id of the request that it refused. */
  readonly requestId?: string;
  /** The address that was asked, without its query. */
  readonly url?: string;
}

/** The context could not be compacted. */
export interface CompactionFailed extends Ending<'compaction_failed', 'fatal', 'error'> {
  readonly stage: string;
  readonly error: ErrorData;
}

/** The model's answer was cut off before it was complete. */
export interface OutputTruncated extends Ending<'output_truncated', 'capacity', 'error'> {
  readonly reason: 'length' | 'thinking_starved';
  readonly cap?: number;
}

/** A unit of the run failed; its own ending is kept here whole. */
export interface ChildFailed extends Ending<'child_failed', Category, 'error'> {
  readonly child: ChildReference;
  readonly termination: AnyTermination;
  readonly others?: readonly ChildEnding[];
}

/** No route of a workflow step applied to its output. */
export interface NoRoute extends Ending<'no_route', 'fatal', 'error'> {
  readonly step: string;
  readonly output: JsonValue;
}

export interface ErrorKinds {
  failed: Failed;
  provider_auth: ProviderAuth;
  provider_quota: ProviderQuota;
  provider_failed: ProviderFailed;
  no_answer: NoAnswer;
  prompt_too_long: PromptTooLong;
  compaction_failed: CompactionFailed;
  output_truncated: OutputTruncated;
  child_failed: ChildFailed;
  no_route: NoRoute;
}

const childReference = shape<ChildReference>({ name: text, path: text, runId: optional(text) });

export const errorRows: KindRows<ErrorKinds> = {
  failed: {
    family: 'error',
    category: (t) => (t.errorClass === 'external' ? 'retryable' : 'fatal'),
    outcome: () => 'failed',
    open: () => true,
    fields: {
      error: errorData,
      origin: oneOf('tool', 'hook', 'stage', 'loop', 'step', 'engine', 'body'),
      errorClass: oneOf('internal', 'configuration', 'external', 'resource', 'unknown'),
    },
    describe: (t) => `Failed in ${origins[t.origin]} with ${t.error.name}${colonText(t.error.message)}.`,
    nextAction: (t) => failureActions[t.errorClass],
  },
  provider_auth: {
    family: 'error',
    ...fatal,
    fields: {
      status: optional(httpStatus),
      provider: text,
      message: optional(text),
      requestId: optional(text),
      url: optional(text),
    },
    describe: (t) => {
      const refused = `The provider ${inline(t.provider)} refused the credentials (HTTP ${t.status})`;
      const missing = `There are no valid credentials for the provider ${inline(t.provider)}`;
      return sentence(`${t.status === undefined ? missing : refused}${colonText(t.message)}`);
    },
    nextAction: (t) => `Supply valid credentials for ${t.provider}, then resume.`,
  },
  provider_quota: {
    family: 'error',
    ...fatal,
    fields: {
      status: optional(httpStatus),
      provider: text,
      message: text,
      requestId: optional(text),
      url: optional(text),
    },
    describe: (t) => {
      const seen = t.status === undefined ? '' : ` (HTTP ${t.status})`;
      return sentence(`The account at ${inline(t.provider)} has no credit or quota left${seen}${colonText(t.message)}`);
    },
    nextAction: (t) => `Add credit or raise the quota at ${inline(t.provider)}, then resume.`,
  },
  provider_failed: {
    family: 'error',
    ...retryable,
    fields: {
      status: optional(httpStatus),
      attempts: limit,
      retryAfterMs: optional(amount),
      provider: optional(text),
      code: optional(text),
      message: optional(text),
      requestId: optional(text),
      url: optional(text),
    },
    describe: (t) => {
      const facts = [t.status === undefined ? undefined : `HTTP ${t.status}`, t.code].filter(
        (fact) => fact !== undefined,
      );
      const whom = t.provider === undefined ? 'the provider' : inline(t.provider);
      const seen = facts.length === 0 ? '' : ` (${facts.map((fact) => inline(fact)).join(', ')})`;
      return sentence(
        `The call to ${whom} failed after ${counted(t.attempts, 'attempt')}${seen}${colonText(t.message)}`,
      );
    },
    nextAction: (t) =>
      t.retryAfterMs === undefined ? 'Try again later.' : `Try again after ${duration(t.retryAfterMs)}.`,
  },
  no_answer: {
    family: 'error',
    ...retryable,
    fields: { attempts: limit, finishReason: optional(text) },
    describe: (t) => {
      const word = t.finishReason === undefined ? '' : ` (finish reason ${inline(t.finishReason)})`;
      return `The model gave no answer in ${counted(t.attempts, 'attempt')}: no text and no tool call${word}.`;
    },
    nextAction: () => 'Resume to ask again, with guidance or another model if it stays silent.',
  },
  prompt_too_long: {
    family: 'error',
    ...capacity,
    fields: {
      limit: optional(positive),
      used: optional(count),
      status: optional(httpStatus),
      message: optional(text),
      requestId: optional(text),
      url: optional(text),
    },
    describe: (t) => `The prompt is too long for the model${windowText(t)}.`,
    nextAction: () => 'Turn compaction on or use a model with a larger window, then resume.',
  },
  compaction_failed: {
    family: 'error',
    ...fatal,
    fields: { stage: text, error: errorData },
    describe: (t) => `The context could not be compacted (${t.stage})${colonText(t.error.message)}.`,
    nextAction: () => 'Fix the compaction step, then resume.',
  },
  output_truncated: {
    family: 'error',
    ...capacity,
    fields: { reason: oneOf('length', 'thinking_starved'), cap: optional(positive) },
    describe: (t) => {
      const limit = `the output limit${t.cap === undefined ? '' : ` of ${counted(t.cap, 'token')}`}`;
      return t.reason === 'length'
        ? `The answer was cut off at ${limit}.`
        : `Thinking used up ${limit} before an answer came.`;
    },
    nextAction: () => 'Resume with a higher output limit, or ask for a shorter answer.',
  },
  child_failed: {
    family: 'error',
    category: categoryOfCause,
    outcome: (t, resolver) => outcomeOfCategory(categoryOfCause(t, resolver)),
    open: () => true,
    fields: {
      child: childReference,
      termination,
      others: optional(listOf(shape<ChildEnding>({ child: childReference, termination }))),
    },
    describe: (t, resolver) => {
      const cause = innermost(t);
      const reason = cause === undefined ? 'its chain of causes is a circle' : reasonOf(cause, resolver);
      const others = t.others?.length ?? 0;
      const verb = childVerbs[categoryOfCause(t, resolver)] ?? 'failed';
      return `${childNoun(cause)}${childPath(t)} ${verb}: ${reason}${others === 0 ? '' : `; ${counted(others, 'other')} failed too`}.`;
    },
    nextAction: (t, resolver) => {
      const cause = innermost(t);
      if (cause === undefined) return actionOfCategory.fatal;
      // The child's own end is final, but that of its parent is not.
      if (cause.kind === 'terminated')
        return `Act on the reason, then resume: ${childPath(t)} is run again from its start.`;
      return resolver.nextAction(cause);
    },
  },
  no_route: {
    family: 'error',
    ...fatal,
    fields: { step: text, output: json },
    describe: (t) => `No route of the step ${t.step} applies to its output.`,
    nextAction: (t) => `Add a route without a condition to ${t.step}, then resume with the changed file.`,
  },
};

const origins = {
  tool: 'a tool',
  hook: 'a hook',
  stage: 'a stage',
  loop: 'the loop',
  step: 'a step',
  engine: 'the engine',
  body: 'the body',
} as const;

const failureActions = {
  internal: 'This is a defect: look at the error and its causes, fix the code, then resume.',
  configuration: 'Correct the configuration, then run again.',
  external: 'Something outside failed: try again later.',
  resource: 'A resource ran out: free or add some, then resume.',
  unknown: 'Look at the error and its causes before trying again.',
} as const;

function windowText(t: PromptTooLong): string {
  if (t.used !== undefined && t.limit !== undefined)
    return `: ${counted(t.used, 'token')} where ${grouped(t.limit)} fit`;
  if (t.limit !== undefined) return `, which takes ${counted(t.limit, 'token')}`;
  return t.used === undefined ? '' : `: ${counted(t.used, 'token')}`;
}

/** The ending that started it all; undefined where the chain comes back to itself, as no written one can. */
function innermost(t: ChildFailed): AnyTermination | undefined {
  const cause = rootCause(t);
  return cause.kind === 'child_failed' ? undefined : cause;
}

/** An error is named without the sentence around it, which would say a second time that something failed. */
function reasonOf(cause: AnyTermination, resolver: Resolver): string {
  if (cause.kind === 'failed') return `${inline(cause.error.name)}${colonText(cause.error.message)}`;
  return inline(resolver.describe(cause));
}

const childVerbs: Partial<Record<Category, string>> = { paused: 'paused', cancelled: 'ended' };

/** `Step ` or `Stage `, where the cause says which of the two failed. */
function childNoun(cause: AnyTermination | undefined): string {
  if (cause?.kind !== 'failed') return '';
  if (cause.origin === 'step') return 'Step ';
  return cause.origin === 'stage' ? 'Stage ' : '';
}

function categoryOfCause(t: ChildFailed, resolver: Resolver): Category {
  const cause = innermost(t);
  return cause === undefined ? 'fatal' : resolver.category(cause);
}

/** `build › test › lint`; of a long chain only both ends. */
function childPath(t: ChildFailed): string {
  const names = causeChain(t).map((link) => inline(link.child.name, 80));
  const shown = names.length > 5 ? [...names.slice(0, 2), '…', ...names.slice(-2)] : names;
  return shown.join(' › ');
}
