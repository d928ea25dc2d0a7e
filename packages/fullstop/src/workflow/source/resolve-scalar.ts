import type { ScalarNode } from './yaml-node.js';

/** The meaning of an unquoted scalar under YAML 1.2 as the reference reads it: `1_000`, `0b11` and bare dates included. */
export interface ResolvedScalar {
  readonly kind: ScalarNode['kind'] | 'string';
  readonly text: string;
}

const words: ReadonlyMap<string, ResolvedScalar> = new Map<string, ResolvedScalar>([
  ...named('null', 'null', ['', '~', 'null', 'Null', 'NULL']),
  ...named('boolean', 'true', ['true', 'True', 'TRUE']),
  ...named('boolean', 'false', ['false', 'False', 'FALSE']),
]);

function named(kind: ResolvedScalar['kind'], text: string, spellings: readonly string[]): [string, ResolvedScalar][] {
  return spellings.map((spelling) => [spelling, { kind, text }]);
}

const decimal = /^[-+]?[0-9_]+$/;
const otherBase = /^([-+]?)(0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+)$/;
const float =
  /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+|\.[0-9_]+(?:[eE][-+][0-9]+)?)$/;
const infinite = /^([-+]?)\.(?:inf|Inf|INF)$/;
const notANumber = /^\.(?:nan|NaN|NAN)$/;
const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const dateTime =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::?(\d\d))?))?$/;

const longestNumber = 4300;

export function resolvePlainScalar(source: string): ResolvedScalar {
  const text: ResolvedScalar = { kind: 'string', text: source };
  const word = words.get(source);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(source) || source.length > longestNumber) return text;
  return readInteger(source) ?? readFloat(source) ?? readDate(source) ?? text;
}

/** The meaning of `!!int "5"` and the like; undefined when the text is not of that type. */
export function resolveTaggedScalar(tag: string, source: string): ResolvedScalar | undefined {
  if (tag === 'str') return { kind: 'string', text: source };
  const resolved = resolvePlainScalar(source);
  if (tag === 'float') {
    if (resolved.kind === 'integer') return { kind: 'float', text: floatText(Number(resolved.text)) };
    return resolved.kind === 'float' ? resolved : undefined;
  }
  const kind = { int: 'integer', bool: 'boolean', null: 'null', timestamp: 'date' }[tag];
  return resolved.kind === kind ? resolved : undefined;
}

function readInteger(source: string): ResolvedScalar | undefined {
  const bare = source.replaceAll('_', '');
  if (decimal.test(source) && /\d$/.test(bare)) {
    const digits = bare.replace(/^[-+]?0*(?=\d)/, '');
    return { kind: 'integer', text: source.startsWith('-') && digits !== '0' ? `-${digits}` : digits };
  }
  const [, sign, digits] = otherBase.exec(source) ?? [];
  if (digits === undefined || /[box]_*$/.test(digits)) return undefined;
  const value = BigInt(digits.replaceAll('_', ''));
  return { kind: 'integer', text: String(sign === '-' ? -value : value) };
}

function readFloat(source: string): ResolvedScalar | undefined {
  const [whole, sign] = infinite.exec(source) ?? [];
  if (whole !== undefined) return { kind: 'float', text: sign === '-' ? '-Infinity' : 'Infinity' };
  if (notANumber.test(source)) return { kind: 'float', text: 'NaN' };
  const value = float.test(source) ? Number(source.replaceAll('_', '')) : Number.NaN;
  return Number.isNaN(value) ? undefined : { kind: 'float', text: floatText(value) };
}

function floatText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Whether a text has the form of a date or time that no calendar has. */
export function isImpossibleDate(source: string): boolean {
  return (date.test(source) || dateTime.test(source)) && readDate(source) === undefined;
}

function readDate(source: string): ResolvedScalar | undefined {
  const [, year, month, day] = date.exec(source) ?? [];
  if (year !== undefined) return isRealDate(source) ? { kind: 'date', text: source } : undefined;
  return dateTime.test(source) ? readDateTime(source) : undefined;
  function isRealDate(text: string): boolean {
    const time = new Date(`${text}T00:00:00Z`);
    return Number(year) > 0 && time.getUTCMonth() + 1 === Number(month) && time.getUTCDate() === Number(day);
  }
}

function readDateTime(source: string): ResolvedScalar | undefined {
  const [, year, month, day, hour, minute, second, fraction = '', zone, sign, zoneHour, zoneMinute = '0'] =
    dateTime.exec(source) ?? [];
  const two = (text: string | undefined): string => (text ?? '0').padStart(2, '0');
  const calendar = `${year}-${two(month)}-${two(day)}`;
  const clock = `${two(hour)}:${minute}:${second}`;
  const time = new Date(`${calendar}T${clock}Z`);
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 10) !== calendar) return undefined;
  const roundsUp = Number(fraction.charAt(6)) > 4 && !fraction.startsWith('999999');
  const micros = String(Number(fraction.slice(0, 6).padEnd(6, '0')) + Number(roundsUp)).padStart(6, '0');
  const offset = zone === undefined || zone === 'Z' ? '+00:00' : `${sign}${two(zoneHour)}:${two(zoneMinute)}`;
  const parts = [calendar, 'T', clock, Number(micros) === 0 ? '' : `.${micros}`, zone === undefined ? '' : offset];
  return { kind: 'date', text: parts.join('') };
}
