import type { ContentMatched } from '../../termination/kinds/completion.js';
import { checkOptions, invalidOption, someText } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { LoopObservation } from '../observation.js';
import { tailLength } from '../observe.js';
import { compilePattern } from '../pattern/compile-pattern.js';

/** A pattern instead of a literal text. */
export interface ContentPattern {
  readonly regExp: RegExp | string;
  /** For a pattern that is given as a string. */
  readonly flags?: string;
}

/**
 * Ends the run when a response contains this text, as it is written. A pattern has to be asked for, with
 * `{ regExp }`; it is matched on the last 10,000 characters. The calls of that response are finished first.
 */
export function contentMatch(content: string | ContentPattern): StopCondition<'content_matched'> {
  if (typeof content === 'string') {
    const text = someText(content, { builder: 'contentMatch', option: 'text' });
    return matcher({ pattern: text, json: { text }, reads: 'whole', test: (answer) => answer.includes(text) });
  }
  const { source, flags } = readPattern(content);
  const test = compilePattern(source, flags);
  const json = { regExp: source, ...(flags !== '' && { flags }) };
  return matcher({
    pattern: `/${source}/${flags}`,
    json,
    reads: 'tail',
    test: (answer) => test(answer.slice(-tailLength)),
  });
}

interface Matcher {
  readonly pattern: string;
  readonly json: Readonly<Record<string, string>>;
  readonly reads: 'whole' | 'tail';
  test(answer: string): boolean;
}

function matcher({ pattern, json, reads, test }: Matcher): StopCondition<'content_matched'> {
  const matched: ContentMatched = { kind: 'content_matched', pattern };
  return defineCondition<'content_matched', boolean>({
    name: `contentMatch(${pattern})`,
    json: { type: 'contentMatch', ...json },
    kinds: ['content_matched'],
    slot: 'goal',
    reads,
    init: () => false,
    observe: (state, { text }) => (text === undefined ? state : test(text.content ?? '')),
    evaluate: (state, observation) => (state && !hasOpenCalls(observation) ? matched : undefined),
    reached: (state) => (state ? matched : undefined),
  });
}

/** A response is weighed before its calls are made; what it asked for along with the text must not be lost. */
function hasOpenCalls({ point, calls }: LoopObservation): boolean {
  return point === 'after_response' && calls === undefined;
}

function readPattern(content: ContentPattern): { readonly source: string; readonly flags: string } {
  const builder = 'contentMatch';
  if (content instanceof RegExp)
    throw invalidOption(content, { builder, option: '' }, `a text, or { regExp: ${String(content)} } for a pattern`);
  const { regExp, flags = '' } = checkOptions(content, builder, ['regExp', 'flags']);
  // Where a search begins and how many it finds means nothing to a yes or no.
  if (regExp instanceof RegExp) return { source: regExp.source, flags: regExp.flags.replace(/[dg]/g, '') };
  if (typeof flags !== 'string') throw invalidOption(flags, { builder, option: 'flags' }, 'a text such as "i"');
  return { source: someText(regExp, { builder, option: 'regExp' }), flags };
}
