import { readFileSync } from 'node:fs';
import { compileTemplate } from '../../packages/fullstop/src/template/compile-template.js';
import { Dict } from '../../packages/fullstop/src/template/dict.js';
import type { PlainNames } from '../../packages/fullstop/src/template/evaluate/plain-expressions.js';
import { readJsonText } from '../../packages/fullstop/src/template/json-text.js';
import { compilePlain } from '../../packages/fullstop/src/template/plain-condition.js';
import type { Scope } from '../../packages/fullstop/src/template/scope.js';
import { TemplateError } from '../../packages/fullstop/src/template/template-error.js';
import { toRepr } from '../../packages/fullstop/src/template/text/python-text.js';

/** The outcome of a template in the reference. */
export type Outcome = { readonly ok: string } | { readonly err: string; readonly msg?: string; readonly line?: number };

/** The outcome of a condition in the reference. */
export interface ConditionProbe {
  readonly e: string;
  readonly ok?: boolean;
  readonly r?: string;
  readonly err?: string;
  readonly msg?: string;
}

/** Reads recorded probes. */
export function readProbes<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** The names of a JSON object, read so that `1.0` stays a float. */
export function scopeFromJson(text: string): Scope {
  const names = readJsonText(text);
  if (!(names instanceof Dict)) throw new TypeError('a context is an object');
  return { lookup: (name) => names.getText(name) };
}

function failureOf(error: unknown): TemplateError {
  if (error instanceof TemplateError) return error;
  throw error;
}

/** Renders a template and describes the result as the probes do. */
export function renderOutcome(template: string, context: string): Outcome {
  try {
    return { ok: compileTemplate(template).render(scopeFromJson(context)) };
  } catch (error) {
    const { detail, errorType, line, reason } = failureOf(error);
    if (reason === 'syntax') return { err: reason, msg: detail, line };
    return { err: reason, msg: reason === 'runtime' ? `${errorType}: ${detail}` : detail };
  }
}

/** Evaluates a plain expression over names that are flat already. */
export function evaluateOutcome(expression: string, names: string): Omit<ConditionProbe, 'e'> {
  const { lookup } = scopeFromJson(names);
  const flat: PlainNames = { lookup, owner: lookup };
  try {
    const compiled = compilePlain(expression);
    const r = toRepr(compiled.evaluate(flat, 1));
    return { ok: compiled.holds({ lookup: fresh(names), owner: fresh(names) }, 1), r };
  } catch (error) {
    const { detail, errorType } = failureOf(error);
    return { err: errorType, msg: detail };
  }
}

function fresh(names: string): PlainNames['lookup'] {
  const { lookup } = scopeFromJson(names);
  return lookup;
}
