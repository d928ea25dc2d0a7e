import { type CallArguments, ObjectValue, Undefined, type Value } from '../value.js';
import { spend } from './evaluation.js';
import { typeFault, undefinedFault } from './fault.js';
import { typeName } from './type-name.js';

/** Calls a value. */
export function callValue(callee: Value, call: CallArguments): Value {
  spend(1);
  if (callee instanceof ObjectValue && callee.callable) {
    const result = callee.call(call);
    if (result !== undefined) return result;
  }
  if (callee instanceof Undefined) throw undefinedFault(callee.describe());
  throw typeFault(`'${typeName(callee)}' object is not callable`);
}
