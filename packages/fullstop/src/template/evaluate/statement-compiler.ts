import { assertNever } from '../../termination/assert-never.js';
import type {
  BlockStatement,
  CallStatement,
  Expression,
  IfStatement,
  MacroStatement,
  Parameters,
  Statement,
} from '../language/ast.js';
import { mentionedNames } from '../language/mentions.js';
import { SyntaxFault } from '../language/token.js';
import { isTrue } from '../operators/truth.js';
import { escapeHtml } from '../text/escape-html.js';
import { toText } from '../text/python-text.js';
import { isText, Markup, presentOr, textOf, Undefined, type Value } from '../value.js';
import { compileTarget } from './assign.js';
import { callValue } from './call.js';
import { evaluation, runNested } from './evaluation.js';
import type { Evaluate } from './expression-compiler.js';
import { runtimeFault, typeFault, undefinedFault } from './fault.js';
import { compileFor } from './for-compiler.js';
import { type Execute, Frame } from './frame.js';
import { compileExtends, compileFrom, compileImport, compileInclude } from './load-compiler.js';
import { type MacroShape, MacroValue } from './macro.js';
import { Output } from './output.js';
import { type ExpressionPlace, TemplateExpressions } from './template-expressions.js';
import { superReference } from './template-reference.js';
import { typeName } from './type-name.js';

/** Where a statement stands. */
export interface StatementPlace extends ExpressionPlace {
  readonly topLevel: boolean;
  /** The blocks of the template, filled while it is compiled. */
  readonly blocks: Map<string, Execute>;
  /** Runs a part of the template so that its errors name this template. */
  readonly located: (work: () => void) => void;
}

/** Turns statements into closures. */
export function compileBody(statements: readonly Statement[], place: StatementPlace): Execute {
  const body = statements.map((statement) => compileStatement(statement, place));
  const [only] = body;
  if (body.length === 1 && only !== undefined) return only;
  return (frame, out) => {
    for (const execute of body) execute(frame, out);
  };
}

function compileStatement(statement: Statement, place: StatementPlace): Execute {
  switch (statement.kind) {
    case 'data': {
      const { text } = statement;
      return (_, out) => out.add(text);
    }
    case 'output':
      return compileOutput(statement.value, place);
    case 'if':
      return compileIf(statement, place);
    case 'for':
      return compileFor(statement, inner(place), compileBody);
    case 'set':
    case 'set-block':
    case 'with':
    case 'filter-block':
    case 'autoescape':
      return compileScoped(statement, place);
    case 'macro':
      return compileMacro(statement, place);
    case 'call-block':
      return compileCall(statement, place);
    case 'block':
      return compileBlock(statement, place);
    case 'include':
      return compileInclude(statement, expressionOf(statement.template, place));
    case 'import':
      return compileImport(statement, expressionOf(statement.template, place));
    case 'from':
      return compileFrom(statement, expressionOf(statement.template, place), place.lineAt);
    case 'extends':
      if (!place.topLevel) throw new SyntaxFault('cannot use extend from a non top-level scope', statement.at);
      return compileExtends(statement, expressionOf(statement.template, place));
    default:
      return assertNever('unknown statement', statement);
  }
}

/** A place one scope deeper, where unknown filters are errors again. */
function inner(place: StatementPlace): StatementPlace {
  return { ...place, topLevel: false, soft: false };
}

function expressionOf(node: Expression, place: ExpressionPlace): Evaluate<Frame> {
  return new TemplateExpressions(place).compile(node);
}

function compileOutput(node: Expression, place: StatementPlace): Execute {
  const value = expressionOf(node, place);
  if (!place.escape) {
    return (frame, out) => {
      if (!out.muted) out.add(toText(value(frame)));
    };
  }
  return (frame, out) => {
    if (out.muted) return;
    const printed = value(frame);
    out.add(printed instanceof Markup ? printed.text : escapeHtml(toText(printed)));
  };
}

function compileIf(statement: IfStatement, place: StatementPlace): Execute {
  const soft = { ...place, soft: true };
  const branches = statement.branches.map(({ test, body }) => ({
    test: expressionOf(test, soft),
    body: compileBody(body, soft),
  }));
  const otherwise = compileBody(statement.otherwise, soft);
  return (frame, out) => {
    for (const { test, body } of branches) if (isTrue(test(frame))) return body(frame, out);
    return otherwise(frame, out);
  };
}

type Scoped = Extract<Statement, { kind: 'set' | 'set-block' | 'with' | 'filter-block' | 'autoescape' }>;

function compileScoped(statement: Scoped, place: StatementPlace): Execute {
  switch (statement.kind) {
    case 'set': {
      const value = expressionOf(statement.value, place);
      const assign = compileTarget(statement.target);
      return (frame) => assign(frame, value(frame));
    }
    case 'set-block':
      return compileSetBlock(statement, place);
    case 'with':
      return compileWith(statement, place);
    case 'filter-block': {
      const filtered = compileCaptured(statement.filter, statement.body, inner(place));
      return (frame, out) => out.add(requireText(filtered(new Frame(frame.context, frame))));
    }
    case 'autoescape': {
      const value = expressionOf(statement.value, place);
      const escaping = compileBody(statement.body, { ...inner(place), escape: true });
      const plain = compileBody(statement.body, { ...inner(place), escape: false });
      return (frame, out) => (isTrue(value(frame)) ? escaping : plain)(new Frame(frame.context, frame), out);
    }
    default:
      return assertNever('unknown statement', statement);
  }
}

/** A filter block must return text. */
function requireText(value: Value): string {
  if (isText(value)) return textOf(value);
  if (value instanceof Undefined) throw undefinedFault(value.describe());
  throw typeFault(`sequence item 0: expected str instance, ${typeName(value)} found`);
}

function compileSetBlock(statement: Extract<Statement, { kind: 'set-block' }>, place: StatementPlace): Execute {
  const value = compileCaptured(statement.filter, statement.body, inner(place));
  const assign = compileTarget(statement.target);
  return (frame) => assign(frame, value(new Frame(frame.context, frame)));
}

/** Compiles a body whose text is a value, filtered if there is a filter. */
function compileCaptured(
  filter: Extract<Expression, { kind: 'filter' }> | undefined,
  statements: readonly Statement[],
  place: StatementPlace,
): Evaluate<Frame> {
  const body = compileBody(statements, place);
  const capture = (frame: Frame): Value => {
    const out = new Output();
    body(frame, out);
    return place.escape ? new Markup(out.text) : out.text;
  };
  return filter === undefined ? capture : new TemplateExpressions(place).filter(filter, capture);
}

function compileWith(statement: Extract<Statement, { kind: 'with' }>, place: StatementPlace): Execute {
  const within = inner(place);
  const bindings = statement.bindings.map(({ target, value }) => ({
    assign: compileTarget(target),
    value: expressionOf(value, within),
  }));
  const body = compileBody(statement.body, within);
  return (frame, out) => {
    const scope = new Frame(frame.context, frame);
    for (const { assign, value } of bindings) assign(scope, value(frame));
    body(scope, out);
  };
}

function compileMacro(statement: MacroStatement, place: StatementPlace): Execute {
  const make = compileCallable(statement.name, statement, inner(place));
  return (frame) => frame.set(statement.name, make(frame));
}

interface Callable {
  readonly parameters: Parameters;
  readonly body: readonly Statement[];
}

function compileCallable(
  name: string | undefined,
  { body, parameters }: Callable,
  place: StatementPlace,
): (frame: Frame) => MacroValue {
  const mentioned = mentionedNames(body);
  const shape: MacroShape = {
    name,
    parameters: parameters.names,
    varargs: mentioned.has('varargs'),
    kwargs: mentioned.has('kwargs'),
    caller: mentioned.has('caller'),
  };
  const execute = compileBody(body, place);
  const offset = parameters.names.length - parameters.defaults.length;
  const defaults = parameters.defaults.map((node) => expressionOf(node, place));
  return (frame) =>
    new MacroValue(shape, (variables) => {
      const local = new Frame(frame.context, frame);
      for (const [variable, value] of variables) local.set(variable, value);
      const out = new Output();
      place.located(() => {
        for (const [index, parameter] of parameters.names.entries()) {
          if (variables.has(parameter)) continue;
          local.set(
            parameter,
            presentOr(defaults[index - offset]?.(local), () => missingParameter(parameter)),
          );
        }
        execute(local, out);
      });
      return out.text;
    });
}

function missingParameter(name: string): Value {
  return new Undefined(() => `parameter '${name}' was not provided`);
}

function compileCall(statement: CallStatement, place: StatementPlace): Execute {
  const make = compileCallable(undefined, statement, inner(place));
  const { args, callee } = statement.call;
  const target = expressionOf(callee, place);
  const call = new TemplateExpressions(place).callArguments(args);
  return (frame, out) => {
    const value = target(frame);
    const { named, positional } = call(frame);
    evaluation.at = statement.at;
    out.add(toText(callValue(value, { positional, named: new Map(named).set('caller', make(frame)) })));
  };
}

function compileBlock(statement: BlockStatement, place: StatementPlace): Execute {
  const { name, required, scoped } = statement;
  if (place.blocks.has(name)) throw new SyntaxFault(`block '${name}' defined twice`, statement.at);
  const usesSuper = mentionedNames(statement.body).has('super');
  place.blocks.set(name, () => undefined);
  const body = compileBody(statement.body, { ...inner(place), topLevel: false });
  const version: Execute = (frame, out) => {
    if (required) throw runtimeFault('TemplateRuntimeError', `Required block '${name}' not found`);
    const local = new Frame(frame.context, frame);
    const index = frame.context.blocks.get(name)?.indexOf(version) ?? 0;
    if (usesSuper) local.set('super', superReference(local, name, index));
    place.located(() => body(local, out));
  };
  place.blocks.set(name, version);
  return (frame, out) => {
    if (out.muted) return;
    evaluation.at = statement.at;
    const outermost = frame.context.blocks.get(name)?.[0] ?? version;
    runNested(() => outermost(scoped ? frame : frame.root, out));
  };
}
