import { type Bound, bind, type Signature } from '../library/signature.js';
import type { CallArguments, Value } from '../value.js';

/** A filter: the piped value and the arguments in parentheses. */
export type Filter = (value: Value, call: CallArguments) => Value;

/** A test: the tested value and its arguments. */
export type Test = (value: Value, call: CallArguments) => boolean;

/** Reads parameters such as `s width? first?`. */
function signatureOf(name: string, text: string, hidden: number): Signature {
  const words = text.split(' ');
  const required = words.filter((word) => !word.endsWith('?')).length;
  return { name, parameters: words.map((word) => word.replace('?', '')), required, hidden };
}

/** Makes a filter with named parameters; `name` is what Python calls its function. */
export function filter(name: string, parameters: string, apply: (args: Bound) => Value, hidden = 0): Filter {
  const signature = signatureOf(name, parameters, hidden);
  return (value, { named, positional }) => {
    if (positional.length === 0 && named === undefined && signature.required === 1) return apply([value]);
    return apply(bind(signature, { positional: [value, ...positional], named }));
  };
}

/** Makes a test with parameters. */
export function test(name: string, parameters: string, apply: (args: Bound) => boolean): Test {
  const signature = signatureOf(name, parameters, 0);
  return (value, { named, positional }) => {
    if (positional.length === 0 && named === undefined && signature.required === 1) return apply([value]);
    return apply(bind(signature, { positional: [value, ...positional], named }));
  };
}
