import { Dict } from '../dict.js';
import { GroupValue } from '../filters/group-value.js';
import { dictMethod } from '../library/dict-methods.js';
import { listMethods, tupleMethods } from '../library/list-methods.js';
import { BoundMethod, boundMethod } from '../library/method.js';
import { numberMember } from '../library/number-methods.js';
import { RangeValue } from '../library/range-value.js';
import { textMethods } from '../library/text-methods.js';
import { dictKey, numeric } from '../operators/compare.js';
import { characterAt, textLength } from '../text/code-points.js';
import { formatMethod } from '../text/format-method.js';
import { toRepr } from '../text/python-text.js';
import { isText, Markup, ObjectValue, presentOr, Tuple, textOf, Undefined, type Value } from '../value.js';
import { Fault, runtimeFault, securityFault, typeFault, undefinedFault } from './fault.js';
import { listOf } from './iterate.js';
import { describeType, typeName } from './type-name.js';

/** Members that every Python object has and that lead out of the language. */
const unsafe: ReadonlySet<string> = new Set(
  (
    'class doc dir init new subclasshook init_subclass reduce reduce_ex getattribute getattr setattr delattr hash repr str eq ne lt le ' +
    'gt ge format sizeof len iter getitem setitem delitem contains add mul rmul mod rmod getnewargs call self name qualname module ' +
    'dict weakref mro bases base subclasses globals code closure defaults kwdefaults func html html_format'
  )
    .split(' ')
    .map((name) => `__${name}__`),
);

/** A template's `object.name`: a dict's key first, then the attribute. */
export function attributeOf(object: Value, name: string): Value {
  if (object instanceof Dict) {
    const found = object.getText(name);
    if (found !== undefined) return found;
  }
  if (object instanceof Undefined) throw undefinedFault(object.describe());
  return presentOr(memberOf(object, name), () => missingAttribute(object, name));
}

/** A template's `object[key]`: the element first, then the attribute. */
export function itemOf(object: Value, key: Value): Value {
  if (object instanceof Undefined) throw undefinedFault(object.describe());
  if (key instanceof Undefined && !key.lenient && object instanceof Dict) throw undefinedFault(key.describe());
  const element = elementOf(object, key);
  if (element !== undefined) return element;
  const member = isText(key) ? memberOf(object, textOf(key)) : undefined;
  if (member !== undefined) return member;
  if (isText(key)) return missingAttribute(object, textOf(key));
  return new Undefined(() => `${describeType(object)} has no element ${toRepr(key)}`);
}

function missingAttribute(object: Value, name: string): Undefined {
  return new Undefined(() => `'${describeType(object)}' has no attribute ${toRepr(name)}`);
}

/** An attribute as Python has it, without looking at a dict's keys. */
export function memberOf(object: Value, name: string): Value | undefined {
  const found = findTypedAttribute(object, name);
  if (found === undefined && unsafe.has(name)) {
    throw securityFault(`access to attribute '${name}' of '${typeName(object)}' object is unsafe.`);
  }
  return found;
}

function findTypedAttribute(object: Value, name: string): Value | undefined {
  if (isText(object)) return textMember(object, name);
  if (Array.isArray(object)) return boundMethod(listMethods, object, name);
  if (object instanceof Dict) return dictMethod(object, name);
  if (object instanceof GroupValue && object.part(name) !== undefined) return object.part(name);
  if (object instanceof Tuple) return boundMethod(tupleMethods, object, name);
  if (object instanceof RangeValue && (name === 'count' || name === 'index')) return rangeMember(object, name);
  if (object instanceof ObjectValue) return object.attribute(name);
  return numeric(object) === undefined ? undefined : numberMember(object, name);
}

/** A range counts and finds like the tuple of its elements. */
function rangeMember(range: RangeValue, name: string): Value | undefined {
  return boundMethod(tupleMethods, new Tuple(listOf(range)), name);
}

const access = { attribute: plainAttribute, item: plainItem };

function textMember(object: string | Markup, name: string): Value | undefined {
  if (name !== 'format' && name !== 'format_map') return boundMethod(textMethods, object, name);
  return new BoundMethod(name, object, (call) => {
    const text = formatMethod(textOf(object), name === 'format' ? call : mappedCall(call.positional), access);
    return object instanceof Markup ? new Markup(text) : text;
  });
}

function mappedCall(positional: readonly Value[]): { positional: readonly Value[]; named: ReadonlyMap<string, Value> } {
  const [mapping] = positional;
  if (positional.length !== 1)
    throw typeFault(`str.format_map() takes exactly one argument (${positional.length} given)`);
  const named = new Map<string, Value>();
  if (mapping instanceof Dict)
    for (const [key, value] of mapping.entries()) if (isText(key)) named.set(textOf(key), value);
  return { positional: [], named };
}

/** The element for a key or index, or undefined. */
export function elementOf(object: Value, key: Value): Value | undefined {
  if (object instanceof Dict) return Array.isArray(key) || key instanceof Dict ? undefined : object.get(dictKey(key));
  if (object instanceof ObjectValue) return object.element(key);
  const index = typeof key === 'boolean' ? Number(key) : key;
  if (typeof index !== 'number' || !Number.isInteger(index)) return undefined;
  if (isText(object)) return characterOf(object, index);
  const items = itemsOf(object);
  return items?.[index < 0 ? index + items.length : index];
}

function characterOf(object: string | Markup, index: number): Value | undefined {
  const text = textOf(object);
  const length = textLength(text);
  const at = index < 0 ? index + length : index;
  if (at < 0 || at >= length) return undefined;
  return object instanceof Markup ? new Markup(characterAt(text, at)) : characterAt(text, at);
}

function itemsOf(object: Value): readonly Value[] | undefined {
  if (Array.isArray(object)) return object;
  return object instanceof Tuple ? object.items : undefined;
}

/** Python's own `object.name`, which fails when there is none. */
export function plainAttribute(object: Value, name: string): Value {
  if (object instanceof Undefined) throw undefinedFault(object.describe());
  const found = memberOf(object, name);
  if (found === undefined)
    throw runtimeFault('AttributeError', `'${typeName(object)}' object has no attribute '${name}'`);
  return found;
}

/** Python's own `object[key]`, which fails when there is none. */
export function plainItem(object: Value, key: Value): Value {
  if (object instanceof Undefined) throw undefinedFault(object.describe());
  if (object instanceof Dict) {
    const found = object.get(dictKey(key));
    if (found === undefined) throw runtimeFault('KeyError', toRepr(key));
    return found;
  }
  return presentOr(elementOf(object, key), () => failSubscript(object, key));
}

const subjects: ReadonlyMap<string, string> = new Map([
  ['str', 'string'],
  ['range', 'range object'],
]);

function failSubscript(object: Value, key: Value): never {
  const type = typeName(object);
  if (!['list', 'tuple', 'str', 'Markup', 'range'].includes(type))
    throw typeFault(`'${type}' object is not subscriptable`);
  const subject = subjects.get(type) ?? type;
  if (typeof key === 'boolean' || typeof key === 'bigint' || (typeof key === 'number' && Number.isInteger(key))) {
    throw runtimeFault('IndexError', `${subject} index out of range`);
  }
  const expected =
    type === 'str'
      ? `string indices must be integers, not '${typeName(key)}'`
      : `${type} indices must be integers or slices, not ${typeName(key)}`;
  throw new Fault('runtime', 'TypeError', expected);
}
