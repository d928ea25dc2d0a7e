/** The names that statements use anywhere in them, blocks left out. */
export function mentionedNames(root: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  collect(root, names);
  return names;
}

function collect(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collect(item, names);
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  const { kind, name } = node as { kind?: string; name?: unknown };
  if (kind === 'block' || kind === 'constant') return;
  if (kind === 'name' && typeof name === 'string') names.add(name);
  for (const part of Object.values(node)) if (typeof part === 'object') collect(part, names);
}
