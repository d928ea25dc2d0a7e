import fc from 'fast-check';
import type { JsonValue } from '../termination/json.js';
import type { Mistake } from '../termination/kinds/detector.js';
import type { StopCondition } from './condition.js';
import { contentMatch } from './conditions/content-match.js';
import type { LoopObservation, ObservedCall } from './observation.js';
import { observeCall, observeText } from './observe.js';

/** An observation in which nothing has happened yet, but for what is given. */
export function observation(given: Partial<LoopObservation> = {}): LoopObservation {
  return {
    point: 'before_call',
    iterations: 0,
    rounds: 0,
    toolCalls: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    costUsd: null,
    activeMs: 0,
    ...given,
  };
}

/** A call that went well. */
export function call(tool: string, input: JsonValue = {}, result: JsonValue = 'ok'): ObservedCall {
  return observeCall({ tool, input, result }, true);
}

/** A call that failed by the model's fault. */
export function failed(tool: string, message = 'broken', mistake: Mistake['problem'] = 'tool_error'): ObservedCall {
  return observeCall({ tool, input: {}, result: message, error: { name: 'Error', message }, mistake });
}

/** The point at which a round with these calls is finished. */
export function round(...calls: readonly ObservedCall[]): LoopObservation {
  return observation({ point: calls.length === 0 ? 'after_response' : 'after_tools', calls });
}

/** The endings that the observations lead to, one for each, undefined where the condition did not fire. */
export function endingsOf(
  condition: StopCondition<string>,
  observations: readonly LoopObservation[],
): readonly (object | undefined)[] {
  let state = condition.fold.init();
  return observations.map((each) => {
    state = condition.fold.observe?.(state, each, [condition]) ?? state;
    return condition.fold.evaluate(state, each);
  });
}

/** The place of the first observation at which the condition fires; -1 when it never does. */
export function firstEnding(condition: StopCondition<string>, observations: readonly LoopObservation[]): number {
  return endingsOf(condition, observations).findIndex((ending) => ending !== undefined);
}

interface ScriptedRound {
  readonly text: string;
  readonly calls: readonly ObservedCall[];
  readonly tokens: number;
  readonly milliseconds: number;
  readonly costUsd: number;
}

const scriptedCall: fc.Arbitrary<ObservedCall> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(word(), word(), word()).map(([tool, input, result]) => call(tool, input, result)) },
  { weight: 1, arbitrary: fc.tuple(word(), word()).map(([tool, message]) => failed(tool, message)) },
);

const scriptedRound: fc.Arbitrary<ScriptedRound> = fc.record({
  text: fc.constantFrom('', ' ', 'a', 'b', 'DONE'),
  calls: fc.array(scriptedCall, { maxLength: 2 }),
  tokens: fc.constantFrom(0, 10, 10, 10, 11, 50),
  milliseconds: fc.constantFrom(0, 5, 100),
  costUsd: fc.constantFrom(0, 0.01, 0.5),
});

/** Few different words, so that loops and repetitions come up often. */
function word(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'b', 'DONE');
}

/** The observations of a loop that nothing stopped, as an agent would journal them. */
export const anyLoop: fc.Arbitrary<readonly LoopObservation[]> = fc
  .array(fc.array(scriptedRound, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  .map(observationsOf);

const readsWholeText = [contentMatch('any')];

function observationsOf(iterations: readonly (readonly ScriptedRound[])[]): readonly LoopObservation[] {
  const observations: LoopObservation[] = [];
  let now = observation();
  for (const rounds of iterations) {
    const begin = now;
    for (const each of rounds) {
      observations.push({ ...now, point: 'before_call' });
      now = afterResponse(now, each);
      const asked = each.calls.length > 0;
      if (!asked) now = { ...now, rounds: now.rounds + 1 };
      const text = observeText(each.text, readsWholeText);
      observations.push({ ...now, point: 'after_response', text, ...(!asked && { calls: [] }) });
      if (!asked) continue;
      now = { ...now, rounds: now.rounds + 1, toolCalls: now.toolCalls + each.calls.length };
      observations.push({ ...now, point: 'after_tools', calls: each.calls });
    }
    const iterationTokens = now.usage.totalTokens - begin.usage.totalTokens;
    const iterationMs = now.activeMs - begin.activeMs;
    now = { ...now, iterations: now.iterations + 1 };
    observations.push({ ...now, point: 'after_iteration', iterationTokens, iterationMs });
  }
  return [...observations, { ...now, point: 'end' }];
}

function afterResponse(now: LoopObservation, { tokens, milliseconds, costUsd }: ScriptedRound): LoopObservation {
  const { inputTokens, outputTokens, totalTokens } = now.usage;
  return {
    ...now,
    usage: { inputTokens: inputTokens + tokens, outputTokens, totalTokens: totalTokens + tokens },
    costUsd: (now.costUsd ?? 0) + costUsd,
    activeMs: now.activeMs + milliseconds,
  };
}
