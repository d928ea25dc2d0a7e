import { type CompiledPattern, compilePattern } from '../../schema/compile-pattern.js';

const compiled = new Map<string, CompiledPattern>();

/** Whether the pattern of an output field is found in a text. Files with a pattern that cannot be used are not loaded. */
export function matchesPattern(source: string, text: string): boolean {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    pattern = compilePattern(source);
    compiled.set(source, pattern);
  }
  return pattern.ok && pattern.test(text);
}
