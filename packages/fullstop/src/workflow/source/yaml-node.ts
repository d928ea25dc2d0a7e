/** A spot in a file; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A text and its place: `at` is where the value starts, which for a block is the line before the text. */
export interface TextNode {
  readonly kind: 'string';
  readonly text: string;
  readonly at: Place;
  readonly style: 'plain' | 'quoted' | 'block' | 'file';
  /** How far the lines of a block are indented. */
  readonly indent?: number;
  /** The file that `!file` took the whole text from. */
  readonly from?: string;
}

/** The place in the file of a line and column inside a text. */
export function placeInText(node: TextNode, line: number, column: number): Place {
  const { file, line: first, column: start } = node.at;
  if (node.style === 'file') return { file, line, column };
  if (node.style === 'block') return { file, line: first + line, column: column + (node.indent ?? 0) };
  if (line > 1) return { file, line: first + line - 1, column };
  return { file, line: first, column: start + column - (node.style === 'quoted' ? 0 : 1) };
}

/** A scalar that is no text; `text` is its JSON form, or the ISO form of a date. */
export interface ScalarNode {
  readonly kind: 'null' | 'boolean' | 'integer' | 'float' | 'date';
  readonly text: string;
  readonly at: Place;
  /** Stands in for a value that could not be had, which was reported already. */
  readonly broken?: true;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly at: Place;
  readonly size: number;
}

export interface MapEntry {
  readonly key: string;
  /** False for keys such as 1 or true, which are no text. */
  readonly keyIsText: boolean;
  readonly keyAt: Place;
  readonly value: YamlNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly at: Place;
  readonly size: number;
}

/** A value of a YAML file with its place; aliases, merges and `!file` are resolved. */
export type YamlNode = TextNode | ScalarNode | ListNode | MapNode;

/** How many nodes a value has; what an alias repeats counts again. */
export function sizeOf(node: YamlNode): number {
  return node.kind === 'map' || node.kind === 'list' ? node.size : 1;
}

/** Takes the place of a value that could not be had. */
export function brokenNode(at: Place): ScalarNode {
  return { kind: 'null', text: 'null', at, broken: true };
}

/** The value of a key of a mapping, if it is there. */
export function entryOf(node: MapNode, key: string): MapEntry | undefined {
  return node.entries.find((entry) => entry.key === key);
}

/** The words of a message for the value. */
export function nameOfKind(node: YamlNode): string {
  switch (node.kind) {
    case 'null':
      return 'nothing';
    case 'boolean':
      return 'a boolean';
    case 'integer':
      return 'an integer';
    case 'float':
      return 'a number';
    case 'date':
      return 'a date';
    case 'string':
      return 'a text';
    case 'list':
      return 'a list';
    case 'map':
      return 'a mapping';
  }
}

function memberOf(node: YamlNode, key: string | number): YamlNode | undefined {
  if (node.kind === 'list') return node.items[Number(key)];
  return node.kind === 'map' ? entryOf(node, String(key))?.value : undefined;
}

/** The value that a path leads to, as far as it goes. */
export function nodeAt(root: YamlNode, path: readonly (string | number)[]): YamlNode {
  let node = root;
  for (const key of path) {
    const next = memberOf(node, key);
    if (next === undefined) break;
    node = next;
  }
  return node;
}

/** The texts of the list at a path; none when there is no list. */
export function textsAt(root: YamlNode, path: readonly (string | number)[]): readonly string[] {
  const key = path.at(-1);
  const list = key === undefined ? undefined : memberOf(nodeAt(root, path.slice(0, -1)), key);
  return list?.kind === 'list' ? list.items.flatMap((item) => (item.kind === 'string' ? [item.text] : [])) : [];
}

/** The place of a line and column of the text at a path. */
export function locateInText(
  root: YamlNode,
  path: readonly (string | number)[],
  { line, column }: Pick<Place, 'line' | 'column'>,
): Place {
  const node = nodeAt(root, path);
  return node.kind === 'string' ? placeInText(node, line, column) : node.at;
}

/** The place of a path, or of its nearest parent. */
export function locate(root: YamlNode, path: readonly (string | number)[]): Place {
  return nodeAt(root, path).at;
}
