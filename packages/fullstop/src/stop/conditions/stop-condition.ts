import { found } from '../../termination/check.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import type { Custom } from '../../termination/kinds/extension.js';
import { invalidOption, someText } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { LoopView } from '../observation.js';

/** The verdict of a custom condition: a termination to stop with, or nothing to continue. */
export type ConditionVerdict<TEnding extends Ending> = TEnding | undefined | null | false;

/** The user's code that a custom condition asks. */
export type AskCondition<TEnding extends Ending> = (
  view: LoopView,
) => ConditionVerdict<TEnding> | PromiseLike<ConditionVerdict<TEnding>>;

/**
 * A condition of one's own. It is asked once at a point and its verdict is journalled, so that a replay never asks
 * again. Kinds other than `custom` have to be listed: at run time nobody can read them off the function.
 *
 * @example
 * stopCondition('enough sources', ({ toolCalls }) =>
 *   toolCalls > 12 && terminations.custom({ reason: 'enough sources', category: 'success' }));
 */
export function stopCondition(name: string, ask: AskCondition<Custom>): StopCondition<'custom'>;
export function stopCondition<TEnding extends Ending>(
  name: string,
  ask: AskCondition<TEnding>,
  kinds: readonly TEnding['kind'][],
): StopCondition<TEnding['kind']>;
export function stopCondition(
  name: string,
  ask: AskCondition<Ending>,
  kinds: readonly string[] = ['custom'],
): StopCondition<string> {
  const builder = 'stopCondition';
  someText(name, { builder, option: 'name' });
  if (typeof ask !== 'function') throw invalidOption(ask, { builder, option: 'ask' }, 'a function');
  return defineCondition<string>({
    name,
    json: { type: 'custom', name },
    kinds,
    slot: 'custom',
    steers: 'its verdict on other states of the run is unknown',
    evaluateAsync: async (view) => checkVerdict(await ask(view), name, kinds),
    evaluate: (_state, { verdicts }) =>
      verdicts !== undefined && Object.hasOwn(verdicts, name) ? verdicts[name] : undefined,
  });
}

function checkVerdict(verdict: unknown, name: string, kinds: readonly string[]): Ending | undefined {
  if (verdict === undefined || verdict === null || verdict === false) return undefined;
  if (!isObject(verdict) || typeof verdict['kind'] !== 'string') {
    throw new FullstopError(
      'INVALID_TERMINATION',
      `The stop condition ${JSON.stringify(name)} returned ${found(verdict)}; it must return a termination, or nothing to continue.`,
    );
  }
  if (!kinds.includes(verdict['kind'])) {
    throw new FullstopError(
      'ENDING_NOT_DECLARED',
      `The stop condition ${JSON.stringify(name)} gave ${JSON.stringify(verdict['kind'])}, which is not among the kinds it declares: ${kinds.join(', ')}. List it in the third argument of stopCondition.`,
    );
  }
  return verdict as unknown as Ending;
}
