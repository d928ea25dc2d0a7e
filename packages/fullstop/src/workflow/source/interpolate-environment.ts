export type Environment = Readonly<Record<string, string | undefined>>;

/** The problem with a `${NAME}`. */
export interface UnresolvedVariable {
  readonly name: string;
  readonly reason: 'missing' | 'endless' | 'too_long';
}

interface VariableReference {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly fallback?: string;
}

const mostRounds = 10;
const longestText = 10_000_000;

/** Replaces `${NAME}` and `${NAME:-default}` until none is left; a variable that is set but empty counts as set. */
export function interpolateEnvironment(text: string, env: Environment): string | UnresolvedVariable {
  let current = text;
  let references = findReferences(current);
  for (let round = 0; references.length > 0; round += 1) {
    const name = references[0]?.name ?? '';
    if (round === mostRounds) return { name, reason: 'endless' };
    const next = replaceReferences(current, references, env);
    if (typeof next !== 'string') return next;
    if (next.length > longestText) return { name, reason: 'too_long' };
    current = next;
    references = findReferences(current);
  }
  return current;
}

function replaceReferences(
  text: string,
  references: readonly VariableReference[],
  env: Environment,
): string | UnresolvedVariable {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, name, fallback } of references) {
    const value = (Object.hasOwn(env, name) ? env[name] : undefined) ?? fallback;
    if (value === undefined) return { name, reason: 'missing' };
    parts.push(text.slice(done, start), value);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** Scans by hand: a pattern would go over `${${${…` again and again. */
function findReferences(text: string): VariableReference[] {
  const found: VariableReference[] = [];
  let close = -1;
  let colon = -1;
  for (let start = text.indexOf('${'); start >= 0; ) {
    close = close < start + 2 ? text.indexOf('}', start + 2) : close;
    if (close < 0) break;
    colon = colon < start + 2 ? nextIndex(text, ':', start + 2) : colon;
    const reference = readReference(text, { start, close, colon });
    if (reference !== undefined) found.push(reference);
    start = text.indexOf('${', reference === undefined ? start + 1 : close + 1);
  }
  return found;
}

function readReference(
  text: string,
  marks: { readonly start: number; readonly close: number; readonly colon: number },
): VariableReference | undefined {
  const { start, close, colon } = marks;
  const nameEnd = Math.min(colon, close);
  if (nameEnd === start + 2) return undefined;
  const name = text.slice(start + 2, nameEnd);
  if (nameEnd === close) return { start, end: close + 1, name };
  if (text[colon + 1] !== '-') return undefined;
  return { start, end: close + 1, name, fallback: text.slice(colon + 2, close) };
}

function nextIndex(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}
