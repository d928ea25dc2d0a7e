import { evaluation } from './evaluate/evaluation.js';
import type { Fault } from './evaluate/fault.js';
import type { Execute, Frame, LoadedTemplate } from './evaluate/frame.js';
import { MissingTemplate } from './evaluate/load-compiler.js';
import { makeLocatedError, type Place, positionAt } from './evaluate/located.js';
import type { Output } from './evaluate/output.js';
import { compileBody } from './evaluate/statement-compiler.js';
import { findReferences } from './find-references.js';
import { parseTemplate } from './language/statement-parser.js';
import { SyntaxFault } from './language/token.js';
import { globals } from './library/globals.js';
import type { Reference } from './reference.js';

/** A compiled template, which does not know what it will be rendered with. */
export interface TemplateUnit extends LoadedTemplate {
  readonly references: readonly Reference[];
}

const globalNames: ReadonlySet<string> = new Set([...globals.keys(), 'self']);

/** The whole message for a failure, in the words of the reference. */
export function messageOf(fault: Fault): string {
  switch (fault.reason) {
    case 'syntax':
      return `Template syntax error: ${fault.message}`;
    case 'undefined':
      return `Undefined variable in template: ${fault.message}`;
    case 'load':
      return fault instanceof MissingTemplate ? `Template not found: '${fault.message}'` : fault.message;
    case 'runtime':
    case 'limit':
    case 'security':
      return `Template rendering failed: ${fault.message}`;
  }
}

/** Compiles a template text. */
export function compileUnit(text: string, name: string | undefined): TemplateUnit {
  const source = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  const place: Place = { source, name, text: messageOf };
  try {
    return buildUnit(source, place);
  } catch (error) {
    throw makeLocatedError(place, error, error instanceof SyntaxFault ? error.at : 0);
  }
}

function buildUnit(source: string, place: Place): TemplateUnit {
  const statements = parseTemplate(source);
  const blocks = new Map<string, Execute>();
  const located = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      throw makeLocatedError(place, error, evaluation.at);
    }
  };
  const lineAt = (at: number): number => positionAt(source, at).line;
  const body = compileBody(statements, { topLevel: true, soft: false, escape: false, blocks, located, lineAt });
  let references: Reference[] | undefined;
  return {
    name: place.name,
    blocks,
    get references() {
      references ??= findReferences(source, statements, globalNames);
      return references;
    },
    run: (frame, out) => located(() => runWithParents(body, frame, out)),
  };
}

/** Runs a template; one that extends another defines blocks only, and the other writes. */
function runWithParents(body: Execute, frame: Frame, out: Output): void {
  body(frame, out);
  const { context } = frame;
  const { parent } = context;
  if (parent === undefined) return;
  context.parent = undefined;
  out.muted = false;
  parent.run(frame, out);
}
