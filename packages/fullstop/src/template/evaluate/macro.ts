import { Dict } from '../dict.js';
import { type CallArguments, ObjectValue, Tuple, Undefined, type Value } from '../value.js';
import { runNested } from './evaluation.js';
import { typeFault } from './fault.js';

/** The facts about a macro before it is called. */
export interface MacroShape {
  /** Undefined for the body of a call block. */
  readonly name: string | undefined;
  readonly parameters: readonly string[];
  /** Whether the body uses `varargs`, `kwargs` and `caller`. */
  readonly varargs: boolean;
  readonly kwargs: boolean;
  readonly caller: boolean;
}

/** The variables of one call; a parameter that was left out is absent. */
export type MacroVariables = Map<string, Value>;

/** A macro, or the body of a call block. */
export class MacroValue extends ObjectValue {
  readonly typeName = 'jinja2.runtime.Macro';
  readonly #shape: MacroShape;
  readonly #invoke: (variables: MacroVariables) => string;

  constructor(shape: MacroShape, invoke: (variables: MacroVariables) => string) {
    super();
    this.#shape = shape;
    this.#invoke = invoke;
  }

  override get callable(): boolean {
    return true;
  }

  override call(call: CallArguments): Value {
    const variables = this.#bind(call);
    return runNested(() => this.#invoke(variables));
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'name':
        return this.#shape.name ?? null;
      case 'arguments':
        return new Tuple(this.#shape.parameters);
      case 'catch_varargs':
        return this.#shape.varargs;
      case 'catch_kwargs':
        return this.#shape.kwargs;
      case 'caller':
        return this.#shape.caller;
      default:
        return undefined;
    }
  }

  override text(): string {
    return `<Macro ${this.#shape.name === undefined ? 'anonymous' : `'${this.#shape.name}'`}>`;
  }

  #bind({ named, positional }: CallArguments): MacroVariables {
    const { parameters } = this.#shape;
    const variables: MacroVariables = new Map();
    const rest = new Map(named);
    for (const [index, parameter] of parameters.entries()) {
      const value = index < positional.length ? positional[index] : take(rest, parameter);
      if (value !== undefined) variables.set(parameter, value);
    }
    if (this.#shape.caller && !parameters.includes('caller')) variables.set('caller', this.#callerOf(rest));
    this.#extra(variables, positional.slice(parameters.length), rest);
    return variables;
  }

  #callerOf(rest: Map<string, Value>): Value {
    const caller = take(rest, 'caller');
    return caller === undefined || caller === null ? new Undefined(() => 'No caller defined') : caller;
  }

  #extra(variables: MacroVariables, positional: readonly Value[], rest: ReadonlyMap<string, Value>): void {
    const { kwargs, name, parameters, varargs } = this.#shape;
    const shown = name === undefined ? 'None' : `'${name}'`;
    if (kwargs) variables.set('kwargs', dictOf(rest));
    else if (rest.has('caller')) {
      throw typeFault(
        `macro ${shown} was invoked with two values for the special caller argument. This is most likely a bug.`,
      );
    } else if (rest.size > 0) {
      throw typeFault(`macro ${shown} takes no keyword argument '${[...rest.keys()][0]}'`);
    }
    if (varargs) variables.set('varargs', new Tuple(positional));
    else if (positional.length > 0) {
      throw typeFault(`macro ${shown} takes not more than ${parameters.length} argument(s)`);
    }
  }
}

function take(rest: Map<string, Value>, name: string): Value | undefined {
  const value = rest.get(name);
  rest.delete(name);
  return value;
}

function dictOf(rest: ReadonlyMap<string, Value>): Dict {
  const dict = new Dict();
  for (const [name, value] of rest) dict.setText(name, value);
  return dict;
}
