import { assertNever } from '../termination/assert-never.js';
import { positionAt } from './evaluate/located.js';
import type { Expression, Parameters, Slice, Statement, Target } from './language/ast.js';
import type { Reference } from './reference.js';

/** The names of the scope that statements or an expression use, in the order of the source. */
export function findReferences(
  source: string,
  node: readonly Statement[] | Expression,
  known: ReadonlySet<string>,
): Reference[] {
  const finder = new ReferenceFinder(source);
  if (isExpression(node)) finder.expression(node, { locals: known, guarded: false });
  else finder.statements(node, { locals: new Set(known), guarded: false });
  return finder.found;
}

function isExpression(node: readonly Statement[] | Expression): node is Expression {
  return !Array.isArray(node);
}

interface Where {
  readonly locals: ReadonlySet<string>;
  readonly guarded: boolean;
}

interface Open {
  readonly locals: Set<string>;
  readonly guarded: boolean;
}

class ReferenceFinder {
  readonly found: Reference[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Walks over statements; names they define are local from there on. */
  statements(nodes: readonly Statement[], where: Open): void {
    for (const node of nodes) this.#statement(node, where);
  }

  #inner(nodes: readonly Statement[], where: Where, names: readonly string[] = []): void {
    this.statements(nodes, { locals: new Set([...where.locals, ...names]), guarded: where.guarded });
  }

  #statement(node: Statement, where: Open): void {
    switch (node.kind) {
      case 'data':
        return;
      case 'output':
        this.expression(node.value, where);
        return;
      case 'set':
        this.expression(node.value, where);
        this.#define(node.target, where);
        return;
      case 'if':
        this.#if(node, where);
        return;
      case 'for':
        this.#for(node, where);
        return;
      case 'include':
      case 'extends':
        this.expression(node.template, where);
        return;
      case 'import':
        this.expression(node.template, where);
        where.locals.add(node.target);
        return;
      case 'from':
        this.expression(node.template, where);
        for (const { alias } of node.names) where.locals.add(alias);
        return;
      default:
        this.#bodied(node, where);
        return;
    }
  }

  #bodied(
    node: Extract<
      Statement,
      { kind: 'set-block' | 'with' | 'filter-block' | 'autoescape' | 'macro' | 'call-block' | 'block' }
    >,
    where: Open,
  ): void {
    switch (node.kind) {
      case 'macro':
        where.locals.add(node.name);
        this.#callable(node.parameters, node.body, where);
        return;
      case 'call-block':
        this.expression(node.call, where);
        this.#callable(node.parameters, node.body, where);
        return;
      case 'with':
        for (const { value } of node.bindings) this.expression(value, where);
        this.#inner(
          node.body,
          where,
          node.bindings.flatMap(({ target }) => namesOf(target)),
        );
        return;
      case 'set-block':
        this.#inner(node.body, where);
        if (node.filter !== undefined) this.expression(node.filter, where);
        this.#define(node.target, where);
        return;
      case 'filter-block':
        this.expression(node.filter, where);
        this.#inner(node.body, where);
        return;
      case 'autoescape':
        this.#inner(node.body, where);
        return;
      case 'block':
        this.#inner(node.body, where, ['super']);
        return;
      default:
        assertNever('unknown statement', node);
    }
  }

  #callable({ defaults, names }: Parameters, body: readonly Statement[], where: Where): void {
    for (const value of defaults) this.expression(value, where);
    this.#inner(body, where, [...names, 'varargs', 'kwargs', 'caller']);
  }

  #if(node: Extract<Statement, { kind: 'if' }>, where: Open): void {
    const [first] = node.branches;
    for (const { body, test } of node.branches) {
      this.expression(test, { ...where, guarded: where.guarded || test !== first?.test });
      this.statements(body, { ...where, guarded: true });
    }
    this.statements(node.otherwise, { ...where, guarded: true });
  }

  #for(node: Extract<Statement, { kind: 'for' }>, where: Open): void {
    this.expression(node.source, where);
    const names = [...namesOf(node.target), 'loop'];
    if (node.test !== undefined) this.expression(node.test, { ...where, locals: new Set([...where.locals, ...names]) });
    this.#inner(node.body, where, names);
    this.#inner(node.otherwise, where);
  }

  #define(target: Target, where: Open): void {
    for (const name of namesOf(target)) where.locals.add(name);
  }

  expression(node: Expression, where: Where): void {
    switch (node.kind) {
      case 'constant':
      case 'refused':
        return;
      case 'name':
      case 'attribute':
      case 'subscript':
        this.#chain(node, where);
        return;
      case 'conditional':
        this.expression(node.test, where);
        this.expression(node.then, { ...where, guarded: true });
        if (node.otherwise !== undefined) this.expression(node.otherwise, { ...where, guarded: true });
        return;
      case 'logical':
        this.expression(node.left, where);
        this.expression(node.right, { ...where, guarded: true });
        return;
      case 'filter':
        this.#applied(node, where, node.name === 'default' || node.name === 'd');
        return;
      case 'test':
        this.#applied(node, where, node.name === 'defined' || node.name === 'undefined');
        return;
      default:
        for (const part of partsOf(node)) this.expression(part, where);
    }
  }

  #applied(node: Extract<Expression, { kind: 'filter' | 'test' }>, where: Where, guards: boolean): void {
    if (node.subject !== undefined) this.expression(node.subject, { ...where, guarded: where.guarded || guards });
    for (const part of argumentsOf(node.args)) this.expression(part, where);
  }

  #chain(node: Extract<Expression, { kind: 'name' | 'attribute' | 'subscript' }>, where: Where): void {
    const path: string[] = [];
    let inner: Expression = node;
    while (inner.kind === 'attribute' || inner.kind === 'subscript') {
      const step: string | undefined = inner.kind === 'attribute' ? inner.name : constantKey(inner.key);
      // A part that is computed ends what is known of the path.
      if (step === undefined) path.length = 0;
      else path.unshift(step);
      if (inner.kind === 'subscript') for (const key of keysOf(inner.key)) this.expression(key, where);
      inner = inner.object;
    }
    if (inner.kind !== 'name') {
      this.expression(inner, where);
      return;
    }
    if (where.locals.has(inner.name)) return;
    this.found.push({ root: inner.name, path, guarded: where.guarded, ...positionAt(this.#source, inner.at) });
  }
}

function constantKey(key: Expression | Slice): string | undefined {
  if (key.kind !== 'constant') return undefined;
  if (typeof key.value === 'string') return key.value;
  return typeof key.value === 'number' && Number.isInteger(key.value) ? String(key.value) : undefined;
}

function keysOf(key: Expression | Slice): Expression[] {
  if (key.kind !== 'slice') return [key];
  return [key.start, key.stop, key.step].filter((part) => part !== undefined);
}

function namesOf(target: Target): string[] {
  if (target.kind === 'name') return [target.name];
  return target.kind === 'targets' ? target.items.flatMap(namesOf) : [];
}

type Args = Extract<Expression, { kind: 'call' }>['args'];

function argumentsOf(args: Args): Expression[] {
  const spread = [args.spread, args.spreadNamed].filter((part) => part !== undefined);
  return [...args.positional, ...args.named.map(({ value }) => value), ...spread];
}

type Joined = Extract<Expression, { kind: 'joined' }>['parts'];

function fieldsOf(parts: Joined): Expression[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.value, ...fieldsOf(part.format ?? [])]));
}

type Plain = Extract<
  Expression,
  { kind: 'list' | 'tuple' | 'dict' | 'unary' | 'not' | 'binary' | 'compare' | 'concat' | 'call' | 'joined' }
>;

function partsOf(node: Plain): readonly Expression[] {
  switch (node.kind) {
    case 'list':
    case 'tuple':
      return node.items;
    case 'dict':
      return node.entries.flat();
    case 'unary':
    case 'not':
      return [node.operand];
    case 'binary':
      return [node.left, node.right];
    case 'compare':
      return [node.first, ...node.rest.map(({ operand }) => operand)];
    case 'concat':
      return node.parts;
    case 'call':
      return [node.callee, ...argumentsOf(node.args)];
    case 'joined':
      return fieldsOf(node.parts);
    default:
      return assertNever('unknown expression', node);
  }
}
