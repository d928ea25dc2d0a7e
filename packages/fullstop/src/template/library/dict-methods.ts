import { Dict } from '../dict.js';
import { allowList, checkList, willChange } from '../evaluate/evaluation.js';
import { runtimeFault, typeFault } from '../evaluate/fault.js';
import { elements } from '../evaluate/iterate.js';
import { dictKey } from '../operators/compare.js';
import { toRepr } from '../text/python-text.js';
import { type CallArguments, presentOr, Tuple, type Value } from '../value.js';
import { pairOf } from './list-methods.js';
import { BoundMethod, boundMethod, type MethodTable, methodTable } from './method.js';
import { DictView } from './object-values.js';

function missingKey(key: Value): Error {
  return runtimeFault('KeyError', toRepr(key));
}

function copyOf(dict: Dict): Dict {
  allowList(dict.size);
  return dict.copy();
}

function setDefault(self: Dict, key: Value, fallback: Value): Value {
  const stored = dictKey(key);
  const found = self.get(stored);
  if (found !== undefined) return found;
  willChange(self);
  checkList(self.size + 1);
  self.set(stored, key, fallback);
  return fallback;
}

function popKey(self: Dict, key: Value, fallback: Value | undefined): Value {
  const stored = dictKey(key);
  const found = self.get(stored);
  if (found === undefined) {
    if (fallback !== undefined) return fallback;
    throw missingKey(key);
  }
  willChange(self);
  self.remove(stored);
  return found;
}

function lastPopped(self: Dict): Value {
  const last = [...self.entries()].at(-1);
  if (last === undefined) throw runtimeFault('KeyError', "'popitem(): dictionary is empty'");
  willChange(self);
  self.remove(dictKey(last[0]));
  return new Tuple(last);
}

/** Adds entries as `dict.update` takes them: a mapping, pairs, named arguments. */
export function updateDict(self: Dict, { positional, named }: CallArguments, name: string): void {
  if (positional.length > 1) throw typeFault(`${name} expected at most 1 argument, got ${positional.length}`);
  const source = positional[0];
  if (source instanceof Dict) for (const [key, value] of source.entries()) self.set(dictKey(key), key, value);
  else if (source !== undefined) {
    let index = 0;
    for (const item of elements(source)) {
      const [key, value] = pairOf(item, index);
      self.set(dictKey(key), key, value);
      index += 1;
    }
  }
  for (const [key, value] of named ?? []) self.setText(key, value);
  checkList(self.size);
}

const methods: MethodTable<Dict> = methodTable<Dict>('dict', {
  clear: [
    '',
    (self) => {
      willChange(self);
      self.clear();
      return null;
    },
  ],
  copy: ['', (self) => copyOf(self)],
  fromkeys: [
    'iterable value?',
    (_, [keys, value]) => {
      const dict = new Dict();
      for (const key of elements(keys ?? null)) dict.set(dictKey(key), key, value ?? null);
      return dict;
    },
  ],
  get: ['key default?', (self, [key, fallback]) => presentOr(self.get(dictKey(key ?? null)), () => fallback ?? null)],
  items: ['', (self) => new DictView(self, 'dict_items')],
  keys: ['', (self) => new DictView(self, 'dict_keys')],
  pop: ['key default?', (self, [key, fallback]) => popKey(self, key ?? null, fallback)],
  popitem: ['', lastPopped],
  setdefault: ['key default?', (self, [key, fallback]) => setDefault(self, key ?? null, fallback ?? null)],
  values: ['', (self) => new DictView(self, 'dict_values')],
});

/** Looks up a dict's method; changes are taken back when the evaluation ends. */
export function dictMethod(self: Dict, name: string): Value | undefined {
  if (name !== 'update') return boundMethod(methods, self, name);
  return new BoundMethod('update', self, (call) => {
    willChange(self);
    updateDict(self, call, 'update');
    return null;
  });
}
