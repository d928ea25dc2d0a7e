import { itemOf } from '../evaluate/attribute.js';
import { isText, textOf, Undefined, type Value } from '../value.js';

/** How lazy filters reach an attribute such as `user.names.0` of every element. */
export function attributeGetter(attribute: Value, fallback: Value = null): (item: Value) => Value {
  const parts = partsOf(attribute);
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = itemOf(value, part);
      if (fallback !== null && value instanceof Undefined) value = fallback;
    }
    return value;
  };
}

/** The same for several attributes, separated by commas. */
export function attributesGetter(attribute: Value): (item: Value) => Value[] {
  const getters = isText(attribute)
    ? textOf(attribute)
        .split(',')
        .map((part) => attributeGetter(part))
    : [attributeGetter(attribute)];
  return (item) => getters.map((getter) => getter(item));
}

function partsOf(attribute: Value): Value[] {
  if (attribute === null) return [];
  if (!isText(attribute)) return [attribute];
  return textOf(attribute)
    .split('.')
    .map((part) => (/^[0-9]{1,15}$/.test(part) ? Number(part) : part));
}

/** Text in lower case, for comparisons that do not care; anything else as it is. */
export function ignoreCase(value: Value): Value {
  return isText(value) ? textOf(value).toLowerCase() : value;
}
