import { nextRandom } from '../evaluate/evaluation.js';
import { typeFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { toFloatValue, toInt } from '../filters/number-filters.js';
import { binary } from '../operators/arithmetic.js';
import { toText } from '../text/python-text.js';
import { type CallArguments, float, isFloat, isText, type Value } from '../value.js';
import { FunctionValue } from './object-values.js';
import { bind } from './signature.js';
import { intArgument } from './text-search.js';

function optional(name: string, call: CallArguments, parameters: readonly string[]): readonly (Value | undefined)[] {
  return bind({ name, parameters, required: 0 }, call);
}

function callInt(call: CallArguments): Value {
  const [value, base] = optional('int', call, ['x', 'base']);
  if (value === undefined) return 0;
  if (base === undefined) return toInt(value);
  if (!isText(value)) throw typeFault("int() can't convert non-string with explicit base");
  return toInt(value, intArgument(base, 10));
}

function callFloat(call: CallArguments): Value {
  const [value] = optional('float', call, ['x']);
  if (value !== undefined && isFloat(value)) return value;
  return float(value === undefined ? 0 : toFloatValue(value));
}

function callText(call: CallArguments): Value {
  const [value] = optional('str', call, ['object']);
  return value === undefined ? '' : toText(value);
}

function callRandInt(call: CallArguments): Value {
  const [top = null] = bind({ name: 'random_int', parameters: ['top'], required: 1 }, call);
  const product = binary('*', float(nextRandom()), top);
  if (isText(product)) throw typeFault(`can't multiply sequence by non-int of type '${typeName(top)}'`);
  return toInt(product);
}

function callRand(call: CallArguments): Value {
  optional('random', call, []);
  return float(nextRandom());
}

/** The functions of the plain language. */
export const plainFunctions: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['int', new FunctionValue("<class 'int'>", callInt, 'type')],
  ['float', new FunctionValue("<class 'float'>", callFloat, 'type')],
  ['str', new FunctionValue("<class 'str'>", callText, 'type')],
  ['rand', new FunctionValue('<built-in method random>', callRand, 'builtin_function_or_method')],
  ['randint', new FunctionValue('<function random_int>', callRandInt)],
]);
