import type { JsonText } from '../schema/field.js';
import type { YamlNode } from './yaml-node.js';

/** The JSON text of a value, keys in the order of the file; dates become texts. */
export function jsonTextOf(node: YamlNode): JsonText {
  switch (node.kind) {
    case 'string':
    case 'date':
      return JSON.stringify(node.text);
    case 'null':
    case 'boolean':
    case 'integer':
    case 'float':
      return node.text;
    case 'list':
      return `[${node.items.map(jsonTextOf).join(', ')}]`;
    case 'map':
      return `{${node.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${jsonTextOf(value)}`).join(', ')}}`;
  }
}
