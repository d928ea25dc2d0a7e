/** Source texts by path; paths are relative to one folder and use `/`. */
export type Sources = ReadonlyMap<string, string>;

/** How many files there are, and how long they are. */
export interface FileShape {
  readonly files: number;
  readonly median: number;
  readonly p90: number;
  readonly max: number;
}

export interface FolderWidth {
  readonly folder: string;
  readonly files: number;
}

/** Matches every form that names another file: imports, re-exports, imports on demand, and types from `import()`. */
const importPattern = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

export function fileShape(sources: Sources): FileShape {
  const lines = [...sources.values()].map((text) => text.split('\n').length - 1).sort((a, b) => a - b);
  const at = (share: number): number => lines[Math.min(lines.length - 1, Math.floor(lines.length * share))] ?? 0;
  return { files: lines.length, median: at(0.5), p90: at(0.9), max: at(1) };
}

/** The folder with the most sources on one level. */
export function widestFolder(sources: Sources): FolderWidth {
  const counts = new Map<string, number>();
  for (const path of sources.keys()) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  const [folder, files] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  return { folder, files };
}

/**
 * The largest set of files that all reach one another over imports, types included; empty when there is none. These are the
 * strongly connected components, found as Kosaraju does: in the order of finishing, collect what reaches a file.
 */
export function largestCircle(sources: Sources): readonly string[] {
  const imports = new Map([...sources].map(([path, text]) => [path, importsIn(path, text, sources)]));
  const importers = reversed(imports);
  const finished = new Set<string>();
  for (const path of sources.keys()) collect(path, imports, finished);
  const seen = new Set<string>();
  let largest: readonly string[] = [];
  for (const path of [...finished].reverse()) {
    const before = seen.size;
    collect(path, importers, seen);
    const circle = [...seen].slice(before);
    if (circle.length > 1 && circle.length > largest.length) largest = circle.sort();
  }
  return largest;
}

/** Adds everything that can be reached from a path, in the order in which a walk in depth leaves the files. */
function collect(start: string, edges: ReadonlyMap<string, readonly string[]>, found: Set<string>): void {
  const entered = new Set<string>();
  const stack = [start];
  while (stack.length > 0) {
    const path = stack[stack.length - 1] ?? start;
    const isNew = !entered.has(path) && !found.has(path);
    entered.add(path);
    const next = isNew ? (edges.get(path) ?? []).filter((other) => !entered.has(other) && !found.has(other)) : [];
    if (next.length > 0) stack.push(...next);
    else found.add(stack.pop() ?? path);
  }
}

function importsIn(path: string, text: string, sources: Sources): readonly string[] {
  const found = [...text.matchAll(importPattern)].flatMap(([, specifier = '']) =>
    ['.ts', '.tsx'].map((ending) => resolvePath(folderOf(path), specifier.replace(/\.js$/, ending))),
  );
  return [...new Set(found)].filter((other) => sources.has(other));
}

function reversed(edges: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>([...edges.keys()].map((path) => [path, []]));
  for (const [path, others] of edges) for (const other of others) result.get(other)?.push(path);
  return result;
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function resolvePath(folder: string, specifier: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
