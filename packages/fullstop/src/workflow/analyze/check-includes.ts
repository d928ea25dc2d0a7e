import { dirname, resolve } from 'node:path';
import { tryRead } from '../source/read-tree.js';
import type { Place } from '../source/yaml-node.js';
import type { Meaning } from './meaning.js';
import type { TextUse } from './text-uses.js';

const include = /\{%[-+]?\s*(?:include|import|from|extends)\s+(?:'([^'\n]*)'|"([^"\n]*)")([^%]{0,200})/g;

interface Template {
  readonly text: string;
  readonly file: string;
}

/** Reads what a prompt in a file of its own includes, so that a missing file is found before a run. */
export function checkIncludes(meaning: Meaning, use: TextUse): void {
  const file = use.file ?? '';
  const seen = new Set([file]);
  const open: Template[] = [{ text: use.text, file }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const included of includesOf(next)) {
      const target = resolve(dirname(file), included.name);
      if (seen.has(target)) continue;
      seen.add(target);
      const text = tryRead(meaning.readFile, target);
      if (typeof text === 'string') open.push({ text, file: target });
      else if (!included.mayBeMissing) {
        const message = `${text.message}: '${included.name}' (${target})`;
        meaning.report.error({ code: text.code, message, at: included.at, path: use.path, text: included.name });
      }
    }
  }
}

interface Included {
  readonly name: string;
  readonly mayBeMissing: boolean;
  readonly at: Place;
}

function includesOf({ text, file }: Template): Included[] {
  return [...text.matchAll(include)].map((match) => {
    const before = text.slice(0, match.index).split('\n');
    const at = { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    return { name: match[1] ?? match[2] ?? '', mayBeMissing: match[3]?.includes('ignore missing') ?? false, at };
  });
}
