import { Dict } from './dict.js';
import { evaluating } from './evaluate/evaluation.js';
import type { Fault } from './evaluate/fault.js';
import { locateErrors, makeLocatedError, type Place } from './evaluate/located.js';
import { PlainExpressions, type PlainNames } from './evaluate/plain-expressions.js';
import { findReferences } from './find-references.js';
import { parsePlain } from './language/plain-parser.js';
import { SyntaxFault } from './language/token.js';
import { plainFunctions } from './library/plain-functions.js';
import { isTrue } from './operators/truth.js';
import type { Reference } from './reference.js';
import type { Scope } from './scope.js';
import { strip } from './text/whitespace.js';
import type { Value } from './value.js';

/** A compiled expression of the plain language. */
export interface PlainExpression {
  evaluate(names: PlainNames, seed: number): Value;
  /** Whether the value counts as true. */
  holds(names: PlainNames, seed: number): boolean;
  readonly references: readonly Reference[];
}

const functionNames: ReadonlySet<string> = new Set(plainFunctions.keys());

/** Compiles an expression of the plain language; throws a `TemplateError` when it is none. */
export function compilePlain(text: string): PlainExpression {
  const place: Place = { source: text, text: (fault) => messageOf(fault, text) };
  try {
    const node = parsePlain(text);
    const evaluate = new PlainExpressions(text).compile(node);
    return {
      evaluate: (names, seed) => evaluating(seed, () => locateErrors(place, () => evaluate(names))),
      holds: (names, seed) => evaluating(seed, () => locateErrors(place, () => isTrue(evaluate(names)))),
      references: findReferences(text, node, functionNames),
    };
  } catch (error) {
    throw makeLocatedError(place, addLineNumber(error, text), error instanceof SyntaxFault ? error.at : 0);
  }
}

/** Python adds the line to what it says about syntax. */
function addLineNumber(error: unknown, text: string): unknown {
  if (!(error instanceof SyntaxFault) || error.errorType !== 'SyntaxError') return error;
  const line = text.slice(0, error.at).split('\n').length;
  return new SyntaxFault(`${error.message} (<unknown>, line ${line})`, error.at, 'SyntaxError');
}

function messageOf(fault: Fault, text: string): string {
  if (fault.errorType === 'NameNotDefined') return `Unknown variable in expression: ${fault.message}`;
  return `Failed to evaluate expression '${text}': ${fault.message}`;
}

/** The flattened names of a scope: fields of the output, `root_key`, and roots that are no mappings. */
export function flattenedNames(scope: Scope): PlainNames {
  return {
    lookup: (name) => lookup(scope, name),
    owner: (name) => {
      const flat = lookup(scope, name);
      return flat === undefined ? scope.lookup(name) : flat;
    },
  };
}

function lookup(scope: Scope, name: string): Value | undefined {
  const output = scope.lookup('output');
  const field = output instanceof Dict ? output.getText(name) : undefined;
  if (field !== undefined) return field;
  for (let at = name.lastIndexOf('_'); at > 0; at = name.lastIndexOf('_', at - 1)) {
    const root = scope.lookup(name.slice(0, at));
    const part = root instanceof Dict ? root.getText(name.slice(at + 1)) : undefined;
    if (part !== undefined) return part;
  }
  const whole = scope.lookup(name);
  return whole instanceof Dict ? undefined : whole;
}

/** Whether a rendered condition counts as true: all but a few words do. */
export function isTrueText(text: string): boolean {
  return !['false', '0', 'no', ''].includes(strip(text.toLowerCase()));
}
