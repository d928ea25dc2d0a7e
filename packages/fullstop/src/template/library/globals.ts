import { Dict } from '../dict.js';
import { nextRandom } from '../evaluate/evaluation.js';
import { runtimeFault, typeFault } from '../evaluate/fault.js';
import { lorem } from '../filters/lorem.js';
import { isTrue } from '../operators/truth.js';
import { type CallArguments, ObjectValue, Tuple, type Value } from '../value.js';
import { updateDict } from './dict-methods.js';
import { NamespaceValue } from './namespace.js';
import { FunctionValue } from './object-values.js';
import { callRange } from './range-value.js';
import { bind } from './signature.js';
import { intArgument } from './text-search.js';

class CyclerValue extends ObjectValue {
  readonly typeName = 'jinja2.utils.Cycler';
  readonly #items: readonly Value[];
  #position = 0;

  constructor(items: readonly Value[]) {
    super();
    if (items.length === 0) throw runtimeFault('RuntimeError', 'at least one item has to be provided');
    this.#items = items;
  }

  override attribute(name: string): Value | undefined {
    switch (name) {
      case 'current':
        return this.#items[this.#position];
      case 'next':
        return new FunctionValue('<bound method Cycler.next>', () => this.#next(), 'method');
      case 'reset':
        return new FunctionValue('<bound method Cycler.reset>', () => this.#reset(), 'method');
      case 'pos':
        return this.#position;
      case 'items':
        return new Tuple(this.#items);
      default:
        return undefined;
    }
  }

  #next(): Value {
    const current = this.#items[this.#position] as Value;
    this.#position = (this.#position + 1) % this.#items.length;
    return current;
  }

  #reset(): Value {
    this.#position = 0;
    return null;
  }
}

class JoinerValue extends ObjectValue {
  readonly typeName = 'jinja2.utils.Joiner';
  readonly #separator: Value;
  #used = false;

  constructor(separator: Value) {
    super();
    this.#separator = separator;
  }

  override get callable(): boolean {
    return true;
  }

  override call(): Value {
    const used = this.#used;
    this.#used = true;
    return used ? this.#separator : '';
  }

  override attribute(name: string): Value | undefined {
    if (name === 'sep') return this.#separator;
    return name === 'used' ? this.#used : undefined;
  }
}

function makeDict(call: CallArguments, name: string): Dict {
  const dict = new Dict();
  updateDict(dict, call, name);
  return dict;
}

function makeCycler({ named, positional }: CallArguments): Value {
  const unexpected = named === undefined ? undefined : [...named.keys()][0];
  if (unexpected !== undefined) throw typeFault(`Cycler.__init__() got an unexpected keyword argument '${unexpected}'`);
  return new CyclerValue(positional);
}

function makeJoiner(call: CallArguments): Value {
  const [separator = ', '] = bind({ name: 'Joiner.__init__', parameters: ['sep'], required: 0, hidden: 1 }, call);
  return new JoinerValue(separator);
}

function makeLorem(call: CallArguments): Value {
  const [count, html = true, min, max] = bind(
    { name: 'generate_lorem_ipsum', parameters: ['n', 'html', 'min', 'max'], required: 0 },
    call,
  );
  const paragraphs = intArgument(count, 5);
  return lorem({
    paragraphs,
    html: isTrue(html),
    min: intArgument(min, 20),
    max: intArgument(max, 100),
    random: nextRandom,
  });
}

/** The functions that every template has. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new FunctionValue("<class 'range'>", callRange, 'type')],
  ['dict', new FunctionValue("<class 'dict'>", (call) => makeDict(call, 'dict'), 'type')],
  ['lipsum', new FunctionValue('<function generate_lorem_ipsum>', makeLorem)],
  ['cycler', new FunctionValue("<class 'jinja2.utils.Cycler'>", makeCycler, 'type')],
  ['joiner', new FunctionValue("<class 'jinja2.utils.Joiner'>", makeJoiner, 'type')],
  [
    'namespace',
    new FunctionValue("<class 'jinja2.utils.Namespace'>", (call) => new NamespaceValue(makeDict(call, 'dict')), 'type'),
  ],
]);
