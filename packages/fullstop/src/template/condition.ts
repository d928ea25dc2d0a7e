import { compileTemplate, type RenderOptions } from './compile-template.js';
import { compilePlain, flattenedNames, isTrueText } from './plain-condition.js';
import type { Reference } from './reference.js';
import type { Scope } from './scope.js';

/** A compiled route condition. */
export interface Condition {
  evaluate(scope: Scope, options?: RenderOptions): boolean;
  readonly references: readonly Reference[];
}

/** Compiled texts are kept, the oldest given up first. */
const cacheSize = 500;
const conditions = new Map<string, Condition>();

/** Compiles a condition: a template when it holds `{{` and `}}`, else an expression of the plain language. */
export function compileCondition(source: string): Condition {
  const known = conditions.get(source);
  if (known !== undefined) return known;
  const condition = source.includes('{{') && source.includes('}}') ? templateCondition(source) : plainCondition(source);
  if (conditions.size >= cacheSize) conditions.delete(conditions.keys().next().value ?? '');
  conditions.set(source, condition);
  return condition;
}

function templateCondition(source: string): Condition {
  const template = compileTemplate(source);
  return {
    evaluate: (scope, options) => isTrueText(template.render(scope, options)),
    get references() {
      return template.references;
    },
  };
}

function plainCondition(source: string): Condition {
  const { holds, references } = compilePlain(source);
  return {
    evaluate: (scope, { seed = 0 } = {}) => holds(flattenedNames(scope), seed),
    references,
  };
}
