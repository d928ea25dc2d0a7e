import type { YamlNode } from './yaml-node.js';

/** JSON text of a value in the file: `1.0` stays `1.0` and a large integer keeps its digits. */
export type JsonText = string;

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
