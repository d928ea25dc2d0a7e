import { runtimeFault } from '../evaluate/fault.js';
import { elements } from '../evaluate/iterate.js';
import { IteratorValue } from '../library/object-values.js';
import { isTrue } from '../operators/truth.js';
import { toRepr } from '../text/python-text.js';
import { type CallArguments, isText, textOf, Undefined, type Value } from '../value.js';
import { attributeGetter } from './attribute-path.js';
import type { Filter, Test } from './filter.js';

/** Finds filters and tests by name, for filters that take one. */
export interface Library {
  filter(name: string): Filter | undefined;
  test(name: string): Test | undefined;
}

function findByName<T>(kind: 'filter' | 'test', value: Value, find: (name: string) => T | undefined): T {
  const found = isText(value) ? find(textOf(value)) : undefined;
  if (found !== undefined) return found;
  const hint = value instanceof Undefined ? ` (${value.describe()}; did you forget to quote the callable name?)` : '';
  throw runtimeFault('TemplateRuntimeError', `No ${kind} named ${toRepr(value)}.${hint}`);
}

function mapper({ named: names, positional }: CallArguments, library: Library): (item: Value) => Value {
  const attribute = names?.get('attribute');
  if (positional.length === 0 && attribute !== undefined) {
    const other = [...(names ?? new Map<string, Value>()).keys()].find(
      (name) => name !== 'attribute' && name !== 'default',
    );
    if (other !== undefined) throw runtimeFault('FilterArgumentError', `Unexpected keyword argument '${other}'`);
    return attributeGetter(attribute, names?.get('default') ?? null);
  }
  const [name, ...rest] = positional;
  if (name === undefined) throw runtimeFault('FilterArgumentError', 'map requires a filter argument');
  const filter = findByName('filter', name, library.filter);
  const call = { positional: rest, named: names };
  return (item) => filter(item, call);
}

/** Elements are asked for one by one; an empty value has none, whatever the arguments are. */
function makeLazy(
  value: Value,
  maker: string,
  start: () => (item: Value) => { readonly keep: boolean; readonly value: Value },
): Value {
  return new IteratorValue(
    (function* () {
      if (!isTrue(value)) return;
      const step = start();
      for (const item of elements(value)) {
        const result = step(item);
        if (result.keep) yield result.value;
      }
    })(),
    maker,
  );
}

function selector(
  { named: names, positional }: CallArguments,
  library: Library,
  byAttribute: boolean,
): (item: Value) => boolean {
  const [attribute] = positional;
  if (byAttribute && attribute === undefined) {
    throw runtimeFault('FilterArgumentError', 'Missing parameter for attribute name');
  }
  const getter = byAttribute ? attributeGetter(attribute ?? null) : (item: Value): Value => item;
  const [name, ...rest] = byAttribute ? positional.slice(1) : positional;
  if (name === undefined) return (item) => isTrue(getter(item));
  const test = findByName('test', name, library.test);
  const call = { positional: rest, named: names };
  return (item) => test(getter(item), call);
}

/** The names of the filters below. */
export const lazyFilterNames: readonly string[] = ['map', 'select', 'reject', 'selectattr', 'rejectattr'];

/** The filters that apply others to every element. */
export function lazyFilters(library: Library): readonly (readonly [string, Filter])[] {
  const choosing =
    (byAttribute: boolean, wanted: boolean): Filter =>
    (value, call) => {
      return makeLazy(value, 'select_or_reject', () => {
        const chosen = selector(call, library, byAttribute);
        return (item) => ({ keep: chosen(item) === wanted, value: item });
      });
    };
  return [
    ['map', (value, call) => mapItems(value, call, library)],
    ['select', choosing(false, true)],
    ['reject', choosing(false, false)],
    ['selectattr', choosing(true, true)],
    ['rejectattr', choosing(true, false)],
  ];
}

function mapItems(value: Value, call: CallArguments, library: Library): Value {
  return makeLazy(value, 'sync_do_map', () => {
    const map = mapper(call, library);
    return (item) => ({ keep: true, value: map(item) });
  });
}
