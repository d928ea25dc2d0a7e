import type { ForStatement, Statement } from '../language/ast.js';
import { mentionedNames } from '../language/mentions.js';
import { IteratorValue } from '../library/object-values.js';
import { isTrue } from '../operators/truth.js';
import type { Value } from '../value.js';
import { type Assign, compileTarget } from './assign.js';
import { evaluation, runNested } from './evaluation.js';
import type { Evaluate } from './expression-compiler.js';
import { type Execute, Frame } from './frame.js';
import { elements } from './iterate.js';
import { LoopValue, type Recurse } from './loop-value.js';
import { Output } from './output.js';
import type { StatementPlace } from './statement-compiler.js';
import { TemplateExpressions } from './template-expressions.js';

type CompileBody = (statements: readonly Statement[], place: StatementPlace) => Execute;

interface Loop {
  readonly assign: Assign;
  readonly test: Evaluate<Frame> | undefined;
  readonly body: Execute;
  readonly otherwise: Execute;
  readonly recursive: boolean;
  /** Without a use of it in the body there is no `loop`, which included templates notice. */
  readonly usesLoop: boolean;
}

/** Compiles a loop. */
export function compileFor(statement: ForStatement, place: StatementPlace, compileBody: CompileBody): Execute {
  const expressions = new TemplateExpressions(place);
  const source = expressions.compile(statement.source);
  const loop: Loop = {
    assign: compileTarget(statement.target),
    test: statement.test === undefined ? undefined : expressions.compile(statement.test),
    body: compileBody(statement.body, place),
    otherwise: compileBody(statement.otherwise, place),
    recursive: statement.recursive,
    usesLoop: statement.recursive || usesLoop(statement.body),
  };
  return (frame, out) => {
    const value = source(frame);
    evaluation.at = statement.source.at;
    runLoop(loop, frame, out, { value, depth: 0 });
  };
}

/** Whether a block that sees the loop's variables stands directly in the body or in an if of it. */
function hasScopedBlock(statement: Statement): boolean {
  if (statement.kind === 'block') return statement.scoped;
  if (statement.kind !== 'if') return false;
  return statement.branches.some(({ body }) => body.some(hasScopedBlock)) || statement.otherwise.some(hasScopedBlock);
}

function usesLoop(body: readonly Statement[]): boolean {
  return mentionedNames(body).has('loop') || body.some(hasScopedBlock);
}

function runLoop(loop: Loop, frame: Frame, out: Output, { depth, value }: { value: Value; depth: number }): void {
  const recurse: Recurse | undefined = loop.recursive
    ? (source, level) => {
        const text = new Output();
        runNested(() => runLoop(loop, frame, text, { value: source, depth: level }));
        return text.text;
      }
    : undefined;
  const state = new LoopValue(loop.test === undefined ? value : filterItems(loop, frame, value), depth, recurse);
  let empty = true;
  for (let item = state.advance(); item !== undefined; item = state.advance()) {
    empty = false;
    const local = new Frame(frame.context, frame);
    if (loop.usesLoop) local.set('loop', state);
    loop.assign(local, item);
    loop.body(local, out);
  }
  if (empty) loop.otherwise(new Frame(frame.context, frame), out);
}

/** The elements that pass the loop's condition, asked one by one. */
function filterItems({ assign, test }: Loop, frame: Frame, value: Value): Value {
  return new IteratorValue(
    (function* () {
      for (const item of elements(value)) {
        const local = new Frame(frame.context, frame);
        assign(local, item);
        if (test === undefined || isTrue(test(local))) yield item;
      }
    })(),
    'filtered',
  );
}
