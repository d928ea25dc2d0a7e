import type { FromStatement, ImportStatement, IncludeStatement, Statement } from '../language/ast.js';
import { AttributesValue } from '../library/object-values.js';
import { toText } from '../text/python-text.js';
import { isText, presentOr, Tuple, textOf, Undefined, type Value } from '../value.js';
import { evaluation, runNested } from './evaluation.js';
import type { Evaluate } from './expression-compiler.js';
import { Fault, runtimeFault, typeFault } from './fault.js';
import { type Context, type Execute, Frame, type LoadedTemplate } from './frame.js';
import { Output } from './output.js';
import { typeName } from './type-name.js';

/** Thrown when a named template is nowhere. */
export class MissingTemplate extends Fault {
  constructor(name: string) {
    super('load', 'TemplateNotFound', name);
  }
}

function nameOf(value: Value): string {
  if (value instanceof Undefined) return toText(value);
  if (isText(value)) return textOf(value);
  throw typeFault(`expected a template name, not ${typeName(value)}`);
}

/** Names with `..` lead out of the prompt's folder and are never found. */
function isInside(name: string): boolean {
  return !name.split('/').includes('..') && !name.includes('\\') && !name.includes('\u0000');
}

function find(context: Context, name: string): LoadedTemplate | undefined {
  return isInside(name) ? context.load(name) : undefined;
}

function loadOne(context: Context, value: Value): LoadedTemplate {
  const name = nameOf(value);
  const template = find(context, name);
  if (template === undefined) throw new MissingTemplate(name);
  return template;
}

function namesOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple ? value.items : undefined;
}

function loadFirst(context: Context, value: Value): LoadedTemplate {
  const names = namesOf(value);
  if (names === undefined) return loadOne(context, value);
  for (const name of names) {
    const template = find(context, nameOf(name));
    if (template !== undefined) return template;
  }
  throw new MissingTemplate(names.map(nameOf).join(', '));
}

/** A fresh rendering of a loaded template; with context it sees the variables of the frame. */
function contextFor(frame: Frame, template: LoadedTemplate, withContext: boolean): Context {
  const blocks = new Map<string, Execute[]>();
  for (const [name, block] of template.blocks) blocks.set(name, [block]);
  const names = withContext
    ? { lookup: (name: string) => frame.lookup(name), declares: frame.context.names.declares }
    : frame.context.globals;
  const { globals, load } = frame.context;
  return { names: names as Context['names'], blocks, load, globals, parent: undefined };
}

export function compileInclude(statement: IncludeStatement, template: Evaluate<Frame>): Execute {
  const { at, ignoreMissing, withContext } = statement;
  return (frame, out) => {
    if (out.muted) return;
    const wanted = template(frame);
    evaluation.at = at;
    let loaded: LoadedTemplate;
    try {
      loaded = loadFirst(frame.context, wanted);
    } catch (error) {
      if (ignoreMissing && error instanceof MissingTemplate) return;
      throw error;
    }
    const text = new Output();
    runNested(() => loaded.run(new Frame(contextFor(frame, loaded, withContext), undefined), text));
    evaluation.at = at;
    out.add(text.text);
  };
}

/** Runs a template for what it defines. */
function importModule(
  frame: Frame,
  template: LoadedTemplate,
  withContext: boolean,
): { exports: ReadonlyMap<string, Value>; text: string } {
  const root = new Frame(contextFor(frame, template, withContext), undefined);
  const out = new Output();
  runNested(() => template.run(root, out));
  return { exports: root.exported(), text: out.text };
}

export function compileImport({ at, target, withContext }: ImportStatement, template: Evaluate<Frame>): Execute {
  return (frame) => {
    const wanted = template(frame);
    evaluation.at = at;
    const { exports, text } = importModule(frame, loadOne(frame.context, wanted), withContext);
    frame.set(target, new AttributesValue('jinja2.environment.TemplateModule', text, exports));
  };
}

export function compileFrom(
  statement: FromStatement,
  template: Evaluate<Frame>,
  lineAt: (at: number) => number,
): Execute {
  const { at, names, withContext } = statement;
  return (frame) => {
    const wanted = template(frame);
    evaluation.at = at;
    const { exports } = importModule(frame, loadOne(frame.context, wanted), withContext);
    for (const { alias, name } of names) {
      const source = toText(wanted);
      const describe = (): string =>
        `the template '${source}' (imported on line ${lineAt(at)}) does not export the requested name '${name}'`;
      frame.set(
        alias,
        presentOr(exports.get(name), () => new Undefined(describe)),
      );
    }
  };
}

export function compileExtends({ at }: Extract<Statement, { kind: 'extends' }>, template: Evaluate<Frame>): Execute {
  return (frame, out) => {
    const wanted = template(frame);
    evaluation.at = at;
    const { context } = frame;
    if (context.parent !== undefined) throw runtimeFault('TemplateRuntimeError', 'extended multiple times');
    const parent = loadOne(context, wanted);
    context.parent = parent;
    for (const [name, block] of parent.blocks) context.blocks.set(name, [...(context.blocks.get(name) ?? []), block]);
    out.muted = true;
  };
}
