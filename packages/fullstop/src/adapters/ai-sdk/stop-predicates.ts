import type { Category, Ending } from '../../termination/ending.js';
import type { ForeignCause } from '../core/foreign-event.js';
import type { AiPredicate, AiStep } from './structure.js';

interface DeclaredPredicate {
  readonly name: string;
  readonly category: Category;
}

const declared = new WeakMap<AiPredicate, DeclaredPredicate>();

/** Gives a predicate of `stopWhen` a name and says what it means that it fired; `capacity` unless given: the model had not finished. */
export function namePredicate<TPredicate extends (...given: never) => unknown>(
  name: string,
  predicate: TPredicate,
  { category = 'capacity' }: { readonly category?: Exclude<Category, 'paused' | 'cancelled'> } = {},
): TPredicate {
  const own = ((...given: Parameters<AiPredicate>) => (predicate as unknown as AiPredicate)(...given)) as AiPredicate;
  declared.set(own, { name, category });
  return own as unknown as TPredicate;
}

/** The predicates of a call, in their order: those that were given, or the limit of steps that the AI SDK sets otherwise. */
export function predicatesOf(stopWhen: unknown, usualSteps: number): readonly AiPredicate[] {
  if (stopWhen === undefined || stopWhen === null) return [usualLimit(usualSteps)];
  return (Array.isArray(stopWhen) ? stopWhen : [stopWhen]) as readonly AiPredicate[];
}

const usualLimits = new WeakSet<AiPredicate>();

function usualLimit(steps: number): AiPredicate {
  const predicate: AiPredicate = (given) => given.steps.length >= steps;
  usualLimits.add(predicate);
  return predicate;
}

const noCauses: readonly never[] = [];

/**
 * Asks all predicates, as the AI SDK does, and says which ones fired and what that means. A promise only where a predicate returns
 * one: nearly all of them know at once.
 */
export function firedPredicates(
  predicates: readonly AiPredicate[],
  given: { readonly steps: readonly AiStep[] },
): readonly ForeignCause[] | Promise<readonly ForeignCause[]> {
  const verdicts = predicates.map((predicate) => predicate(given));
  if (verdicts.every((verdict) => verdict === false)) return noCauses;
  return Promise.all(verdicts).then((fired) =>
    predicates.flatMap((predicate, index) => (fired[index] === true ? [causeOf(predicate, index, given.steps)] : [])),
  );
}

// What the builders of the AI SDK return, however it was bundled: `({ steps }) => steps.length === n`, and a search for a name
// among the calls of the last step. Any other predicate is one of the user's own.
const countsSteps = /^\(\{\s*steps(?:\s*:\s*(\w+))?\s*\}\)\s*=>\s*(\w+)\.length\s*={2,3}\s*[\w$]+$/;
const looksForCall = /toolCalls[\s\S]*\.some\(\s*\(?\s*[\w$]+\s*\)?\s*=>[\s\S]*toolName/;

function causeOf(predicate: AiPredicate, index: number, steps: readonly AiStep[]): ForeignCause {
  const own = declared.get(predicate);
  if (own === undefined) {
    const source = Function.prototype.toString.call(predicate);
    if (usualLimits.has(predicate) || countsSteps.test(source)) return stepLimit(steps.length, steps.length);
    const tool = looksForCall.test(source) ? calledTool(predicate, steps) : undefined;
    if (tool !== undefined)
      return { slot: 'goal', point: 'after_tools', termination: { kind: 'tool_called', tool } as Ending };
  }
  const name = own?.name ?? predicate.name;
  const reason = `The predicate ${name === '' ? `stopWhen[${index}]` : name} ended the run after ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}.`;
  const properties = { index, ...(name !== '' && { name }), steps: steps.length };
  const category = own?.category ?? 'capacity';
  return {
    slot: category === 'success' ? 'goal' : 'custom',
    point: 'after_iteration',
    termination: { kind: 'custom', reason, category, properties } as Ending,
  };
}

/** The framework's own limit of steps was reached. */
export function stepLimit(limit: number, used: number): ForeignCause {
  const termination = { kind: 'max_iterations', limit, used, unit: 'step' } as Ending;
  return { slot: 'cap', point: 'after_iteration', termination };
}

/** The tool that a search for a call was looking for: it finds it alone, too. */
function calledTool(predicate: AiPredicate, steps: readonly AiStep[]): string | undefined {
  const { toolCalls = [] } = steps.at(-1) ?? {};
  const found = toolCalls.find((call) => predicate({ steps: [{ toolCalls: [call] } as unknown as AiStep] }) === true);
  return found?.toolName;
}
