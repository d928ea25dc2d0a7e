import type { BinaryOperator } from '../operators/arithmetic.js';
import type { Ordering } from '../operators/compare.js';
import type { UnaryOperator } from '../operators/unary.js';
import type { Value } from '../value.js';

/** Comparisons of both languages; `is` exists in the plain one only. */
export type Comparison = Ordering | '==' | '!=' | 'in' | 'not in' | 'is' | 'is not';

/** The arguments of a call, filter or test. */
export interface Arguments {
  readonly positional: readonly Expression[];
  readonly named: readonly { readonly name: string; readonly value: Expression }[];
  readonly spread?: Expression | undefined;
  readonly spreadNamed?: Expression | undefined;
}

/** A piece of a formatted string literal: text, or an expression with a conversion and a format. */
export interface JoinedField {
  readonly value: Expression;
  readonly format?: readonly (string | JoinedField)[];
}

interface At {
  /** Its place in the source. */
  readonly at: number;
}

export interface Slice extends At {
  readonly kind: 'slice';
  readonly start?: Expression | undefined;
  readonly stop?: Expression | undefined;
  readonly step?: Expression | undefined;
}

export interface NameExpression extends At {
  readonly kind: 'name';
  readonly name: string;
}

export interface TupleExpression extends At {
  readonly kind: 'tuple';
  readonly items: readonly Expression[];
}

export interface AttributeExpression extends At {
  readonly kind: 'attribute';
  readonly object: Expression;
  readonly name: string;
}

export interface SubscriptExpression extends At {
  readonly kind: 'subscript';
  readonly object: Expression;
  readonly key: Expression | Slice;
}

export interface CallExpression extends At {
  readonly kind: 'call';
  readonly callee: Expression;
  readonly args: Arguments;
}

export interface FilterExpression extends At {
  readonly kind: 'filter';
  readonly name: string;
  /** Absent at the head of a filter block. */
  readonly subject: Expression | undefined;
  readonly args: Arguments;
}

export interface TestExpression extends At {
  readonly kind: 'test';
  readonly name: string;
  readonly subject: Expression;
  readonly args: Arguments;
}

export interface ConditionalExpression extends At {
  readonly kind: 'conditional';
  readonly test: Expression;
  readonly then: Expression;
  readonly otherwise?: Expression | undefined;
}

export interface CompareExpression extends At {
  readonly kind: 'compare';
  readonly first: Expression;
  readonly rest: readonly { readonly operator: Comparison; readonly operand: Expression }[];
}

export type Expression =
  | (At & { readonly kind: 'constant'; readonly value: Value })
  | NameExpression
  | (At & { readonly kind: 'list'; readonly items: readonly Expression[] })
  | TupleExpression
  | (At & { readonly kind: 'dict'; readonly entries: readonly (readonly [Expression, Expression])[] })
  | (At & { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: Expression })
  | (At & { readonly kind: 'not'; readonly operand: Expression })
  | (At & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (At & {
      readonly kind: 'logical';
      readonly operator: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
    })
  | CompareExpression
  | (At & { readonly kind: 'concat'; readonly parts: readonly Expression[] })
  | ConditionalExpression
  | AttributeExpression
  | SubscriptExpression
  | CallExpression
  | FilterExpression
  | TestExpression
  | (At & { readonly kind: 'joined'; readonly parts: readonly (string | JoinedField)[] })
  /** Something the plain language can read but refuses when it is reached. */
  | (At & { readonly kind: 'refused'; readonly message: string });

/** The possible left sides of an assignment. */
export type Target =
  | NameExpression
  | (At & { readonly kind: 'targets'; readonly items: readonly Target[] })
  | (At & { readonly kind: 'member'; readonly name: string; readonly member: string });

export interface Parameters {
  readonly names: readonly string[];
  /** The defaults of the last parameters. */
  readonly defaults: readonly Expression[];
}

export interface ForStatement extends At {
  readonly kind: 'for';
  readonly target: Target;
  readonly source: Expression;
  readonly test?: Expression | undefined;
  readonly recursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface IfStatement extends At {
  readonly kind: 'if';
  readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
  readonly otherwise: readonly Statement[];
}

export interface BlockStatement extends At {
  readonly kind: 'block';
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: readonly Statement[];
}

export interface MacroStatement extends At {
  readonly kind: 'macro';
  readonly name: string;
  readonly parameters: Parameters;
  readonly body: readonly Statement[];
}

export interface CallStatement extends At {
  readonly kind: 'call-block';
  readonly call: CallExpression;
  readonly parameters: Parameters;
  readonly body: readonly Statement[];
}

export interface IncludeStatement extends At {
  readonly kind: 'include';
  readonly template: Expression;
  readonly ignoreMissing: boolean;
  readonly withContext: boolean;
}

export interface ImportStatement extends At {
  readonly kind: 'import';
  readonly template: Expression;
  readonly target: string;
  readonly withContext: boolean;
}

export interface FromStatement extends At {
  readonly kind: 'from';
  readonly template: Expression;
  readonly names: readonly { readonly name: string; readonly alias: string }[];
  readonly withContext: boolean;
}

export type Statement =
  | (At & { readonly kind: 'data'; readonly text: string })
  | (At & { readonly kind: 'output'; readonly value: Expression })
  | ForStatement
  | IfStatement
  | BlockStatement
  | MacroStatement
  | CallStatement
  | IncludeStatement
  | ImportStatement
  | FromStatement
  | (At & { readonly kind: 'extends'; readonly template: Expression })
  | (At & { readonly kind: 'set'; readonly target: Target; readonly value: Expression })
  | (At & {
      readonly kind: 'set-block';
      readonly target: Target;
      readonly filter: FilterExpression | undefined;
      readonly body: readonly Statement[];
    })
  | (At & {
      readonly kind: 'with';
      readonly bindings: readonly { readonly target: Target; readonly value: Expression }[];
      readonly body: readonly Statement[];
    })
  | (At & { readonly kind: 'filter-block'; readonly filter: FilterExpression; readonly body: readonly Statement[] })
  | (At & { readonly kind: 'autoescape'; readonly value: Expression; readonly body: readonly Statement[] });
