import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { ParsedYaml } from './parse-yaml.js';
import type { Report } from './problem.js';
import { isImpossibleDate, type ResolvedScalar, resolvePlainScalar, resolveTaggedScalar } from './resolve-scalar.js';
import { brokenNode, type MapEntry, type Place, sizeOf, type TextNode, type YamlNode } from './yaml-node.js';

export interface TreeOptions {
  readonly report: Report;
  /** Puts in what `!file` names; undefined when it cannot, with a reported problem. */
  readonly include?: (path: string, at: Place) => YamlNode | undefined;
  /** The reference reads texts that become values with another loader: merged keys come first, and `=` and `<<` mean nothing. */
  readonly asValue?: boolean;
}

const mostRepeated = 100_000;
const coreTag = 'tag:yaml.org,2002:';

interface Builder extends TreeOptions {
  readonly parsed: ParsedYaml;
  readonly anchors: Map<string, YamlNode | 'open'>;
  repeated: number;
}

/** Turns parser nodes into plain ones: scalars get their meaning, aliases, merge keys and `!file` their values. */
export function buildTree(parsed: ParsedYaml, options: TreeOptions): YamlNode {
  const builder: Builder = { ...options, parsed, anchors: new Map(), repeated: 0 };
  return build(builder, parsed.contents);
}

function build(builder: Builder, node: unknown): YamlNode {
  const start = rangeStart(node);
  const at = builder.parsed.place(start);
  if (isAlias(node)) return buildAlias(builder, node.source, at);
  const anchor = anchorOf(node);
  if (anchor !== undefined) builder.anchors.set(anchor, 'open');
  const built = buildValue(builder, node, at);
  if (anchor !== undefined) builder.anchors.set(anchor, built);
  return built;
}

function buildValue(builder: Builder, node: unknown, at: Place): YamlNode {
  if (isScalar(node)) return buildScalar(builder, node as Scalar.Parsed, at);
  const tag = (node as { tag?: string } | null)?.tag;
  if (isMap(node)) {
    checkTag(builder, tag, { allowed: 'map', at });
    return buildMap(builder, node as YAMLMap.Parsed, at);
  }
  if (isSeq(node)) {
    checkTag(builder, tag, { allowed: 'seq', at });
    return buildList(builder, node as YAMLSeq.Parsed, at);
  }
  return { kind: 'null', text: 'null', at };
}

function buildAlias(builder: Builder, name: string, at: Place): YamlNode {
  const target = builder.anchors.get(name);
  if (target !== undefined && target !== 'open') return repeat(builder, target, at);
  const message = target === 'open' ? `*${name} is inside the value that it names` : `There is no &${name} before this`;
  builder.report.error({ code: 'BAD_ALIAS', message, at, text: `*${name}` });
  return brokenNode(at);
}

/** Aliases of aliases grow without bound, so what they repeat is counted. */
function repeat(builder: Builder, node: YamlNode, at: Place): YamlNode {
  if (builder.repeated > mostRepeated) return brokenNode(at);
  builder.repeated += sizeOf(node);
  if (builder.repeated <= mostRepeated) return node;
  builder.report.error({ code: 'TOO_LARGE', message: `Aliases repeat more than ${mostRepeated} values`, at });
  return brokenNode(at);
}

function buildScalar(builder: Builder, node: Scalar.Parsed, at: Place): YamlNode {
  const text = scalarText(builder.parsed.text, node);
  if (node.tag === '!file') {
    const included = builder.include?.(text, at);
    if (builder.include === undefined)
      builder.report.error({ code: 'UNKNOWN_TAG', message: '!file is not possible here', at });
    return included ?? brokenNode(at);
  }
  const style = styleOf(node);
  const resolved = resolveScalar(builder, node, { text, at, style });
  if (resolved.kind === 'string') {
    const indent = style === 'block' ? { indent: indentOfBlock(builder.parsed.text, node.range[0]) } : {};
    return { kind: 'string', text: resolved.text, at, style, ...indent };
  }
  return { kind: resolved.kind, text: resolved.text, at };
}

/** The parser ends every block with a line end; the last one of a text may have none. */
function scalarText(source: string, node: Scalar.Parsed): string {
  const text = typeof node.value === 'string' ? node.value : String(node.source ?? '');
  const isCut = styleOf(node) === 'block' && node.range[2] >= source.length && !/[\r\n]$/.test(source);
  return isCut && text.endsWith('\n') ? text.slice(0, -1) : text;
}

function resolveScalar(
  builder: Builder,
  node: Scalar.Parsed,
  found: { readonly text: string; readonly at: Place; readonly style: TextNode['style'] },
): ResolvedScalar {
  const { text, at, style } = found;
  if (node.tag === undefined || node.tag === '!') {
    if (style !== 'plain' || node.tag !== undefined) return { kind: 'string', text };
    if (builder.asValue && (text === '=' || text === '<<'))
      builder.report.error({ code: 'UNKNOWN_TAG', message: `${text} is no value`, at, text });
    if (isImpossibleDate(text))
      builder.report.error({ code: 'BAD_DATE', message: 'There is no such date', at, text, hint: 'Put it in quotes' });
    return resolvePlainScalar(text);
  }
  const tagged = node.tag.startsWith(coreTag) ? resolveTaggedScalar(node.tag.slice(coreTag.length), text) : undefined;
  if (tagged !== undefined) return tagged;
  builder.report.error({ code: 'UNKNOWN_TAG', message: `The tag ${shortTag(node.tag)} is not known here`, at, text });
  return { kind: 'string', text };
}

function styleOf(node: Scalar.Parsed): TextNode['style'] {
  if (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') return 'block';
  return node.type === 'PLAIN' ? 'plain' : 'quoted';
}

/** The indentation of the first line after the `|` or `>` that is not blank. */
function indentOfBlock(text: string, offset: number): number {
  const start = text.indexOf('\n', offset) + 1;
  const lines = text.slice(start, start + 2000).split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  return first.length - first.trimStart().length;
}

function checkTag(
  builder: Builder,
  tag: string | undefined,
  expected: { readonly allowed: string; readonly at: Place },
): void {
  if (tag === undefined || tag === `${coreTag}${expected.allowed}`) return;
  builder.report.error({ code: 'UNKNOWN_TAG', message: `The tag ${shortTag(tag)} is not known here`, at: expected.at });
}

function shortTag(tag: string): string {
  return tag.startsWith(coreTag) ? `!!${tag.slice(coreTag.length)}` : tag;
}

function buildList(builder: Builder, node: YAMLSeq.Parsed, at: Place): YamlNode {
  const items: YamlNode[] = [];
  let size = 1;
  for (const item of node.items) {
    // A pair in a list is a mapping of one key: [a: 1].
    const built = isPair(item) ? buildEntries(builder, [item], at) : build(builder, item);
    items.push(built);
    size += sizeOf(built);
  }
  return { kind: 'list', items, at, size };
}

function buildMap(builder: Builder, node: YAMLMap.Parsed, at: Place): YamlNode {
  return buildEntries(builder, node.items, at);
}

function buildEntries(builder: Builder, pairs: readonly Pair<unknown, unknown>[], at: Place): YamlNode {
  const entries = new Map<string, MapEntry>();
  const merged: YamlNode[] = [];
  for (const pair of pairs) {
    if (isMergeKey(pair.key)) merged.push(build(builder, pair.value));
    else addEntry(builder, entries, pair);
  }
  const own = [...entries];
  if (builder.asValue && merged.length > 0) entries.clear();
  for (const source of merged) mergeInto(builder, entries, source);
  if (builder.asValue) for (const [name, entry] of own) entries.set(name, entry);
  const values = [...entries.values()];
  return { kind: 'map', entries: values, at, size: values.reduce((sum, { value }) => sum + sizeOf(value), 1) };
}

function addEntry(builder: Builder, entries: Map<string, MapEntry>, pair: Pair<unknown, unknown>): void {
  const keyAt = builder.parsed.place(rangeStart(pair.key));
  if (isStrayColon(builder.parsed.text, pair.key)) {
    builder.report.error({ code: 'STRAY_COLON', message: 'A mapping cannot begin here', at: keyAt });
    return;
  }
  const key = build(builder, pair.key);
  const value = build(builder, pair.value);
  if (key.kind === 'map' || key.kind === 'list') {
    const code = key.kind === 'list' && builder.asValue ? 'LIST_AS_KEY' : 'BAD_KEY';
    builder.report.error({ code, message: 'A key must be text', at: keyAt });
    return;
  }
  if (entries.has(key.text))
    builder.report.error({ code: 'DUPLICATE_KEY', message: `Found duplicate key "${key.text}"`, at: keyAt });
  entries.set(key.text, { key: key.text, keyIsText: key.kind === 'string', keyAt, value });
}

/** Own keys win over merged ones, and earlier sources over later ones. */
function mergeInto(builder: Builder, entries: Map<string, MapEntry>, source: YamlNode): void {
  if (source.kind === 'list' && source.items.every((item) => item.kind === 'map')) {
    for (const item of source.items) mergeInto(builder, entries, item);
    return;
  }
  if (source.kind !== 'map') {
    builder.report.error({ code: 'BAD_MERGE', message: '<< takes a mapping or a list of mappings', at: source.at });
    return;
  }
  for (const entry of source.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry);
}

/** Whether a colon without a key follows another value on its line: `a: [b]: c`. */
function isStrayColon(text: string, key: unknown): boolean {
  if (!isScalar(key) || key.type !== 'PLAIN' || key.source !== '' || key.anchor !== undefined || key.tag !== undefined)
    return false;
  const before = text.slice(text.lastIndexOf('\n', Math.max(0, rangeStart(key) - 1)) + 1, rangeStart(key));
  return /[\]}"']\s*$/.test(before);
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN' && key.tag === undefined;
}

function rangeStart(node: unknown): number {
  return (node as ParsedNode | null)?.range?.[0] ?? 0;
}

function anchorOf(node: unknown): string | undefined {
  return (node as { anchor?: string } | null)?.anchor;
}
