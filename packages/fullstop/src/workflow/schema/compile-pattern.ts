import { compilePattern as compileLinear } from '../../stop/pattern/compile-pattern.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';

/** Whether a pattern is found in a text, or why it cannot be used. */
export type CompiledPattern =
  | { readonly ok: true; readonly test: (text: string) => boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * The `pattern` of an output field, written in Python's syntax. It is matched in linear time, because the text comes from a model:
 * what only a backtracking matcher can do is refused.
 */
export function compilePattern(pattern: string): CompiledPattern {
  const [, inline = '', rest = ''] = /^(?:\(\?([aimsux]+)\))?([\s\S]*)$/.exec(pattern) ?? [];
  const flags = [...new Set(inline)].filter((flag) => 'ims'.includes(flag)).join('');
  const source = translated(rest);
  if (flags.includes('m') && /\\[AZ]/.test(rest)) return { ok: false, reason: '\\A and \\Z do not go with (?m)' };
  const mode = [`${flags}u`, flags].find((each) => isValid(source, each));
  if (mode === undefined) return { ok: false, reason: 'it is not a valid regular expression' };
  try {
    return { ok: true, test: compileLinear(source, mode) };
  } catch (error) {
    if (!(error instanceof FullstopError)) throw error;
    return { ok: false, reason: error.issues[0]?.message ?? error.message };
  }
}

/** In JavaScript's words. A backslash is read together with what it escapes. */
function translated(source: string): string {
  return source
    .replaceAll('(?P<', '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\([\s\S])/g, (whole, letter: string) => ({ A: '^', Z: '$' })[letter] ?? whole);
}

/** The stricter mode refuses harmless escapes such as \-, then the other one decides. */
function isValid(source: string, mode: string): boolean {
  try {
    new RegExp(source, mode);
    return true;
  } catch {
    return false;
  }
}
