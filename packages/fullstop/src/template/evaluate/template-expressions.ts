import { assertNever } from '../../termination/assert-never.js';
import { filters } from '../filters/filters.js';
import type { Arguments, Expression, FilterExpression, Slice } from '../language/ast.js';
import { SyntaxFault } from '../language/token.js';
import { tests } from '../library/tests.js';
import { sliceOf } from '../operators/slice.js';
import { isTrue } from '../operators/truth.js';
import { escapeHtml } from '../text/escape-html.js';
import { toText } from '../text/python-text.js';
import { type CallArguments, Markup, Undefined, type Value } from '../value.js';
import { attributeOf, itemOf } from './attribute.js';
import { callValue } from './call.js';
import { checkText, evaluation } from './evaluation.js';
import { type Evaluate, ExpressionCompiler } from './expression-compiler.js';
import { runtimeFault } from './fault.js';
import type { Frame } from './frame.js';
import { MacroValue } from './macro.js';
import { selfReference } from './template-reference.js';

type Of<Kind extends Expression['kind']> = Extract<Expression, { kind: Kind }>;

/** Where an expression stands, as far as its compilation cares. */
export interface ExpressionPlace {
  /** Inside an if, an unknown filter or test counts only when it is reached. */
  readonly soft: boolean;
  /** Inside `{% autoescape true %}`. */
  readonly escape: boolean;
  /** The line of an offset, for messages. */
  readonly lineAt: (at: number) => number;
}

/** Stands for a part of a declared step that has not run; `default` accepts any member of it. */
class UnreachedStep extends Undefined {}

/** Compiles the expressions of templates. */
export class TemplateExpressions extends ExpressionCompiler<Frame> {
  readonly #place: ExpressionPlace;

  constructor(place: ExpressionPlace) {
    super();
    this.#place = place;
  }

  protected override name({ at, name }: Of<'name'>): Evaluate<Frame> {
    return (frame) => {
      const value = frame.lookup(name);
      evaluation.at = at;
      if (value !== undefined) return value;
      if (name === 'self') return selfReference(frame);
      return new Undefined(() => `'${name}' is undefined`);
    };
  }

  protected override attribute({ at, name, object }: Of<'attribute'>): Evaluate<Frame> {
    const owner = this.compile(object);
    return (frame) => {
      const value = owner(frame);
      evaluation.at = at;
      return attributeOf(value, name);
    };
  }

  protected override subscript({ at, key, object }: Of<'subscript'>): Evaluate<Frame> {
    const owner = this.compile(object);
    if (key.kind === 'slice') return this.#slice(owner, key, at);
    const index = this.compile(key);
    return (frame) => {
      const value = owner(frame);
      const wanted = index(frame);
      evaluation.at = at;
      return itemOf(value, wanted);
    };
  }

  #slice(owner: Evaluate<Frame>, slice: Slice, at: number): Evaluate<Frame> {
    const bound = (node: Expression | undefined): Evaluate<Frame> =>
      node === undefined ? () => null : this.compile(node);
    const [start, stop, step] = [bound(slice.start), bound(slice.stop), bound(slice.step)];
    return (frame) => {
      const value = owner(frame);
      const bounds = { start: start(frame), stop: stop(frame), step: step(frame) };
      evaluation.at = at;
      return sliceOf(value, bounds);
    };
  }

  protected override call(node: Of<'call'>): Evaluate<Frame> {
    const callee = this.compile(node.callee);
    const args = this.arguments(node.args);
    const escapes = this.#place.escape;
    return (frame) => {
      const value = callee(frame);
      const call = args(frame);
      evaluation.at = node.at;
      const result = callValue(value, call);
      return escapes && value instanceof MacroValue ? new Markup(toText(result)) : result;
    };
  }

  protected override conditional(node: Of<'conditional'>): Evaluate<Frame> {
    const soft = new TemplateExpressions({ ...this.#place, soft: true });
    const test = soft.compile(node.test);
    const then = soft.compile(node.then);
    const otherwise = node.otherwise === undefined ? this.#missingElse(node.at) : soft.compile(node.otherwise);
    return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
  }

  #missingElse(at: number): Evaluate<Frame> {
    const describe = (): string =>
      `the inline if-expression on line ${this.#place.lineAt(at)} evaluated to false and no else section was defined.`;
    return () => new Undefined(describe, true);
  }

  protected override special(node: Of<'concat' | 'filter' | 'test' | 'joined' | 'refused'>): Evaluate<Frame> {
    switch (node.kind) {
      case 'concat':
        return this.#concat(node);
      case 'filter':
        return this.filter(node);
      case 'test':
        return this.#test(node);
      case 'joined':
      case 'refused':
        throw new SyntaxFault('not available in templates', node.at);
      default:
        return assertNever('unknown expression', node);
    }
  }

  /** Compiles the arguments of a call block. */
  callArguments(args: Arguments): (frame: Frame) => CallArguments {
    return this.arguments(args);
  }

  #concat(node: Of<'concat'>): Evaluate<Frame> {
    const parts = node.parts.map((part) => this.compile(part));
    const escapes = this.#place.escape;
    return (frame) => {
      const values = parts.map((part) => part(frame));
      let text = '';
      for (const value of values) {
        const piece = toText(value);
        checkText(text.length + piece.length);
        text += escapes && !(value instanceof Markup) ? escapeHtml(piece) : piece;
      }
      return escapes ? new Markup(text) : text;
    };
  }

  /** Compiles a filter; the subject of the first one in a filter block is given instead. */
  filter(node: FilterExpression, given?: Evaluate<Frame>): Evaluate<Frame> {
    const { at, name } = node;
    const definition = filters.get(name) ?? this.#unknown('filter', name, at);
    const args = this.arguments(node.args);
    const subject = this.#subject(node, given);
    return (frame) => {
      const value = subject(frame);
      const call = args(frame);
      evaluation.at = at;
      return definition(value, call);
    };
  }

  #subject(node: FilterExpression, given: Evaluate<Frame> | undefined): Evaluate<Frame> {
    if (node.subject === undefined) return given ?? (() => '');
    if (node.subject.kind === 'filter') return this.filter(node.subject, given);
    return node.name === 'default' || node.name === 'd' ? this.#reaching(node.subject) : this.compile(node.subject);
  }

  /** Compiles a chain of members so that a declared step without output makes the whole chain undefined. */
  #reaching(node: Expression): Evaluate<Frame> {
    if (node.kind === 'name') return this.#reachingName(node);
    if (node.kind !== 'attribute' && node.kind !== 'subscript') return this.compile(node);
    const owner = this.#reaching(node.object);
    let found: Value = null;
    const given = (): Value => found;
    const member =
      node.kind === 'attribute' ? (value: Value): Value => attributeOf(value, node.name) : this.#elementOf(node, given);
    return (frame) => {
      const value = owner(frame);
      if (value instanceof UnreachedStep) return value;
      found = value;
      evaluation.at = node.at;
      return member(value, frame);
    };
  }

  #elementOf(node: Of<'subscript'>, given: () => Value): (value: Value, frame: Frame) => Value {
    if (node.key.kind === 'slice') {
      const slice = this.#slice(given, node.key, node.at);
      return (_, frame) => slice(frame);
    }
    const key = this.compile(node.key);
    return (value, frame) => itemOf(value, key(frame));
  }

  #reachingName(node: Of<'name'>): Evaluate<Frame> {
    const plain = this.compile(node);
    const { name } = node;
    return (frame) => {
      const value = plain(frame);
      const unreached = value instanceof Undefined && frame.context.names.declares?.(name) === true;
      return unreached ? new UnreachedStep(() => `'${name}' is undefined`) : value;
    };
  }

  #test(node: Of<'test'>): Evaluate<Frame> {
    const { at, name } = node;
    const definition = tests.get(name) ?? this.#unknown('test', name, at);
    const asksWhetherThere = name === 'defined' || name === 'undefined';
    const subject = asksWhetherThere ? this.#reaching(node.subject) : this.compile(node.subject);
    const args = this.arguments(node.args);
    return (frame) => {
      const value = subject(frame);
      const call: CallArguments = args(frame);
      evaluation.at = at;
      return definition(value, call);
    };
  }

  #unknown(kind: 'filter' | 'test', name: string, at: number): () => never {
    if (!this.#place.soft) throw new SyntaxFault(`No ${kind} named '${name}'.`, at);
    return () => {
      throw runtimeFault('TemplateRuntimeError', `No ${kind} named '${name}' found.`);
    };
  }
}
