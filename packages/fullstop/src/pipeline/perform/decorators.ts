import { frozenCopy } from '../../run/frozen.js';
import type { RunContext } from '../../run/run-context.js';
import { joinSecrets } from '../../run/secrets/join-secrets.js';
import { checkOptions, wholeLimit } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import type { Ending } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { rootCause } from '../../termination/root-cause.js';
import { makeRetryKey, makeWhenKey } from '../machine/pipeline-key.js';
import { isFailure } from '../machine/stage-view.js';
import { checkCallback } from '../options/check-callback.js';
import type { Executor, ExecutorCall, ExecutorResult, StageWork } from '../options/stage-work.js';
import type { WorkRules } from '../options/work-rules.js';
import { askAboutWork } from './ask-about-work.js';
import { executorOf } from './function-executor.js';
import { inUnit } from './in-unit.js';

/** Asks about an ending; the answer is journalled. */
export type EndingPredicate = (termination: AnyTermination) => boolean;

/** Options of `fallback`: which endings call for it. */
export interface FallbackOptions {
  /** Only after these endings; after every failure unless given. */
  readonly when?: EndingPredicate;
}

/** Options of `retry`: how many attempts, after which endings, and the pause between them. */
export interface RetryOptions extends FallbackOptions {
  /** How often it is tried in all; 3 unless given. */
  readonly attempts?: number;
  /** How long to wait before the second attempt, doubled before each further one; a provider's `retryAfterMs` counts if it is longer. */
  readonly delay?: Duration;
}

/** Ends the work as `time_budget` when it has been active for this long. What is under way is aborted through its signal. */
export function timeout<TDone, TOutput>(work: StageWork<TDone, TOutput>, limit: Duration): Executor<TDone, TOutput> {
  const inner = executorOf(work, 'timeout');
  const timeMs = durationLimit(limit, { builder: 'timeout', option: 'limit' });
  return {
    name: inner.name,
    kinds: [...inner.kinds, 'time_budget'],
    terminations: inner.terminations ?? [],
    secrets: inner.secrets,
    workIn: (unit) => (unit === 'timed' ? inner : undefined),
    execute: (call) => runInside(inner, call, { unit: 'timed', limits: { timeMs } }),
  };
}

/** Does something else when the work fails, by an ending or by a throw. A pause is no failure: it waits for its person. */
export function fallback<TDone, TOutput, TOther>(
  work: StageWork<TDone, TOutput>,
  other: StageWork<TDone, TOther>,
  options: FallbackOptions = {},
): Executor<TDone, TOutput | TOther> {
  const { when } = checkOptions(options, 'fallback', ['when']);
  checkCallback(when, { builder: 'fallback', option: 'when' });
  const [first, second] = [executorOf(work, 'fallback'), executorOf(other, 'fallback')];
  const parts = new Map<string, WorkRules>([
    ['primary', first],
    ['fallback', second],
  ]);
  return {
    name: first.name,
    kinds: [...first.kinds, ...second.kinds],
    terminations: [...(first.terminations ?? []), ...(second.terminations ?? [])],
    secrets: joinSecrets(first.secrets, second.secrets),
    workIn: (unit) => parts.get(unit),
    async execute(call) {
      const ran = await runInside(first, call, { unit: 'primary' });
      const stands = await standing(call, ran, { rule: 'The when of fallback', when: when ?? always });
      if (stands !== undefined) return stands;
      const replaced = await runInside(second, call, { unit: 'fallback' });
      const { executorName = second.name ?? call.stage } = replaced;
      return { ...instead(replaced, [ran.termination]), executorName };
    },
  };
}

/** Tries the work again after endings of category retryable and after throws that no fault of the program explains, or after those that `when` names. */
export function retry<TDone, TOutput>(
  work: StageWork<TDone, TOutput>,
  options: RetryOptions = {},
): Executor<TDone, TOutput> {
  const { attempts = 3, delay, when } = checkOptions(options, 'retry', ['attempts', 'delay', 'when']);
  checkCallback(when, { builder: 'retry', option: 'when' });
  const inner = executorOf(work, 'retry');
  wholeLimit(attempts, { builder: 'retry', option: 'attempts' });
  const delayMs = delay === undefined ? 0 : durationLimit(delay, { builder: 'retry', option: 'delay' });
  return {
    name: inner.name,
    kinds: inner.kinds,
    terminations: inner.terminations ?? [],
    secrets: inner.secrets,
    workIn: (unit) => (/^try-\d+$/.test(unit) ? inner : undefined),
    async execute(call) {
      const asked = { rule: 'The when of retry', when: when ?? retryable(call) };
      const before: Ending[] = [];
      for (let attempt = 1; ; attempt += 1) {
        const ran = instead(await runInside(inner, call, { unit: `try-${attempt}` }), before);
        const stands = attempt >= attempts ? ran : await standing(call, ran, asked);
        if (stands !== undefined) return stands;
        before.push(ran.termination);
        const wait = Math.max(delayMs * 2 ** (attempt - 1), retryAfterOf(ran.termination));
        if (wait > 0) await call.context.sleep(makeRetryKey(attempt), wait);
      }
    },
  };
}

/** Lets the pipeline continue when the work fails: its ending is in the result, its output may be missing. */
export function continueOnFailure<TDone, TOutput>(
  work: StageWork<TDone, TOutput>,
): Executor<TDone, TOutput | undefined> {
  const inner = executorOf(work, 'continueOnFailure');
  return {
    name: inner.name,
    kinds: inner.kinds,
    terminations: inner.terminations ?? [],
    secrets: inner.secrets,
    async execute(call) {
      const ran = await inner.execute(call);
      return isFailure(call.registry, ran.termination) ? { ...ran, advisory: true } : ran;
    },
  };
}

interface InsideOptions {
  readonly unit: string;
  readonly limits?: { readonly timeMs: number };
}

function runInside<TDone>(
  inner: Executor<TDone, unknown>,
  call: ExecutorCall<TDone>,
  { unit, limits }: InsideOptions,
): Promise<ExecutorResult> {
  const body = (context: RunContext): Promise<ExecutorResult> => inner.execute({ ...call, context });
  return inUnit(call.context, { unit, name: inner.name ?? call.stage, limits, body });
}

function retryable({ registry }: { readonly registry: TerminationRegistry }): EndingPredicate {
  return (termination) =>
    registry.find(termination.kind)?.category(termination) === 'retryable' || isPlainThrow(rootCause(termination));
}

/** True where code threw an error of which nothing else is known: another attempt may find out more. */
function isPlainThrow(cause: AnyTermination): boolean {
  return cause.kind === 'failed' && cause.errorClass === 'unknown';
}

/** The work that was done instead of work that failed, whose endings are kept in its `also`. */
function instead(ran: ExecutorResult, failures: readonly Ending[]): ExecutorResult {
  return failures.length === 0 ? ran : { ...ran, also: [...(ran.also ?? []), ...failures] };
}

const always: EndingPredicate = () => true;

interface Asked {
  /** The question, for people. */
  readonly rule: string;
  readonly when: EndingPredicate;
}

/** The result of the work, if it is to stand; undefined for a failure that something is to be done about. */
async function standing(
  { context, registry }: Pick<ExecutorCall<never>, 'context' | 'registry'>,
  ran: ExecutorResult,
  { rule, when }: Asked,
): Promise<ExecutorResult | undefined> {
  const { termination } = ran;
  if (!isFailure(registry, termination)) return ran;
  const ask = async (): Promise<boolean> => yesOrNo(rule, await when(frozenCopy(termination) as AnyTermination));
  const asked = await askAboutWork(ran, () => context.step(makeWhenKey(termination.kind), ask));
  if ('failed' in asked) return asked.failed;
  return asked.verdict ? undefined : ran;
}

function retryAfterOf(termination: Ending): number {
  const cause = rootCause(termination);
  return cause.kind === 'provider_failed' ? (cause.retryAfterMs ?? 0) : 0;
}
