import { compilePattern as compileLinear } from '../../stop/pattern/compile-pattern.js';
import { compilePattern as compileAny } from '../schema/compile-pattern.js';

const compiled = new Map<string, (text: string) => boolean>();
/** Texts for a matcher that may go back and forth are kept short. */
const longestBacktracking = 10_000;

/** Whether a pattern is found in a text. Patterns are matched in linear time where that is possible. */
export function compilePattern(source: string): (text: string) => boolean {
  let test = compiled.get(source);
  if (test === undefined) {
    test = compile(source);
    compiled.set(source, test);
  }
  return test;
}

function compile(source: string): (text: string) => boolean {
  try {
    return compileLinear(source, '');
  } catch {
    // Look-around and back references need the engine's own matcher.
    const pattern = compileAny(source);
    return (text) => pattern?.test(text.slice(0, longestBacktracking)) ?? false;
  }
}
