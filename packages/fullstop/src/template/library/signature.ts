import { typeFault } from '../evaluate/fault.js';
import type { CallArguments, Value } from '../value.js';

/** The parameters of a built-in function. */
export interface Signature {
  /** The name of the function in messages. */
  readonly name: string;
  readonly parameters: readonly string[];
  readonly required: number;
  /** Arguments that Python passes by itself before the first one, which its messages count. */
  readonly hidden?: number;
}

/** Arguments in the order of the parameters; undefined where one was left out. */
export type Bound = readonly (Value | undefined)[];

/** Puts arguments in the order of the parameters, failing as Python does when they do not fit. */
export function bind(signature: Signature, call: CallArguments): Bound {
  const { parameters, required } = signature;
  const given = call.positional.length;
  if (given > parameters.length) throw tooMany(signature, given);
  if (call.named === undefined || call.named.size === 0) {
    if (given < required) throw missing(signature, parameters.slice(given, required));
    return call.positional;
  }
  const bound: (Value | undefined)[] = [...call.positional];
  for (const [name, value] of call.named) {
    const index = parameters.indexOf(name);
    if (index === -1) throw typeFault(`${signature.name}() got an unexpected keyword argument '${name}'`);
    if (bound[index] !== undefined) throw typeFault(`${signature.name}() got multiple values for argument '${name}'`);
    bound[index] = value;
  }
  const absent = parameters.slice(0, required).filter((_, index) => bound[index] === undefined);
  if (absent.length > 0) throw missing(signature, absent);
  return bound;
}

function tooMany({ name, parameters, required, hidden = 0 }: Signature, given: number): Error {
  const most = parameters.length + hidden;
  const least = required + hidden;
  const counts = least === most ? `${most}` : `from ${least} to ${most}`;
  const plural = most === 1 ? '' : 's';
  const verb = given + hidden === 1 ? 'was' : 'were';
  return typeFault(`${name}() takes ${counts} positional argument${plural} but ${given + hidden} ${verb} given`);
}

function missing({ name }: Signature, names: readonly string[]): Error {
  const quoted = names.map((item) => `'${item}'`);
  const last = quoted.at(-1) ?? '';
  const list = quoted.length > 2 ? `${quoted.slice(0, -1).join(', ')}, and ${last}` : quoted.join(' and ');
  const plural = names.length === 1 ? '' : 's';
  return typeFault(`${name}() missing ${names.length} required positional argument${plural}: ${list}`);
}

/** Fails when a function that takes positional arguments only gets others, in the words of Python's built-ins. */
export function positional(signature: Signature, call: CallArguments): readonly Value[] {
  const { name, parameters, required } = signature;
  const given = call.positional.length;
  const short = name.slice(name.lastIndexOf('.') + 1);
  if (call.named !== undefined && call.named.size > 0) throw typeFault(`${name}() takes no keyword arguments`);
  if (parameters.length === 0 && given > 0) throw typeFault(`${name}() takes no arguments (${given} given)`);
  if (parameters.length === 1 && required === 1 && given !== 1) {
    throw typeFault(`${name}() takes exactly one argument (${given} given)`);
  }
  if (given < required) throw typeFault(`${short} expected at least ${describeCount(required)}, got ${given}`);
  if (given > parameters.length)
    throw typeFault(`${short} expected at most ${describeCount(parameters.length)}, got ${given}`);
  return call.positional;
}

function describeCount(count: number): string {
  return `${count} argument${count === 1 ? '' : 's'}`;
}
