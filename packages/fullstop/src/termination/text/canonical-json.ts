/** Deeper levels are left out unless asked for: whoever calls this for arguments of a model must survive any depth. */
export const deepestLevel = 200;

/** JSON text with sorted keys, so that equal texts mean equal values. */
export function canonicalJson(value: unknown, deepest: number = deepestLevel): string {
  return write(value, deepest);
}

function write(value: unknown, levels: number): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value);
  if (levels === 0) return '"…"';
  if (Array.isArray(value)) return `[${value.map((member) => write(member, levels - 1)).join(',')}]`;
  const source = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const key of sortedKeys(source)) {
    if (source[key] === undefined) continue;
    members += `${members === '' ? '' : ','}${quoteText(key)}:${write(source[key], levels - 1)}`;
  }
  return `{${members}}`;
}

function writeScalar(value: unknown): string {
  if (typeof value === 'string') return quoteText(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : (JSON.stringify(value) ?? 'null');
}

const longestPlain = 40;

/** A text as JSON. Names and other short texts mostly need no escapes, and to see that takes less than the way to the writer of JSON. */
function quoteText(text: string): string {
  if (text.length > longestPlain) return JSON.stringify(text);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || unit >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** The keys of an object in the order of their letters. */
export function sortedKeys(source: object): readonly string[] {
  const keys = Object.keys(source);
  for (let index = 1; index < keys.length; index += 1) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return keys.sort();
  }
  return keys;
}
