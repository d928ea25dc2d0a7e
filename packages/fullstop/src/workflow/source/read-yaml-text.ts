import { buildTree } from './build-tree.js';
import { type JsonText, jsonTextOf } from './json-text.js';
import { parseYaml } from './parse-yaml.js';
import { createReport } from './problem.js';
import type { YamlNode } from './yaml-node.js';

/** A YAML text as a value: what kind it is and its JSON text. */
export type YamlReading =
  | { readonly ok: true; readonly kind: YamlNode['kind']; readonly json: JsonText }
  | { readonly ok: false; readonly reason: 'syntax' | 'key' | 'date'; readonly message: string };

/** Values that YAML can hold and that cannot be kept; everything else that is wrong is no YAML. */
const reasons: Readonly<Record<string, 'key' | 'date'>> = { LIST_AS_KEY: 'key', BAD_DATE: 'date' };

/** Reads a text with the rules of workflow files; keys that are no text are an error, as JSON has no others. */
export function readYamlText(text: string, { asValue = false }: { readonly asValue?: boolean } = {}): YamlReading {
  const report = createReport('yaml');
  const parsed = parseYaml(text, '', report);
  if (asValue && parsed?.hasTabs) return { ok: false, reason: 'syntax', message: 'Tabs cannot separate values' };
  const tree = parsed === undefined ? undefined : buildTree(parsed, { report, asValue });
  const problem = report.problems.find(({ code }) => !Object.hasOwn(reasons, code)) ?? report.problems[0];
  if (tree === undefined || problem !== undefined) {
    return { ok: false, reason: reasons[problem?.code ?? ''] ?? 'syntax', message: problem?.message ?? '' };
  }
  const badKey = keyThatIsNoText(tree);
  if (badKey !== undefined) return { ok: false, reason: 'key', message: `The key ${badKey} is not text` };
  return { ok: true, kind: tree.kind, json: jsonTextOf(tree) };
}

function keyThatIsNoText(node: YamlNode): string | undefined {
  if (node.kind === 'list') {
    for (const item of node.items) {
      const found = keyThatIsNoText(item);
      if (found !== undefined) return found;
    }
  }
  if (node.kind !== 'map') return undefined;
  for (const { key, keyIsText, value } of node.entries) {
    const found = keyIsText ? keyThatIsNoText(value) : key;
    if (found !== undefined) return found;
  }
  return undefined;
}
