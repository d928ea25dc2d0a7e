import { allowText } from '../evaluate/evaluation.js';
import { limitFault, runtimeFault, typeFault, valueFault } from '../evaluate/fault.js';
import { typeName } from '../evaluate/type-name.js';
import { numeric } from '../operators/compare.js';
import { toFloat } from '../operators/real.js';
import { Float, isText, textOf, type Value } from '../value.js';
import { sliceCharacters, textLength } from './code-points.js';
import { floatText } from './float-text.js';
import { formatReal } from './format-real.js';
import { intText, toText } from './python-text.js';

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const grammar = /^(?:([\s\S])?([<>=^]))?([ +-])?(z)?(#)?(0)?([0-9]+)?([,_])?(?:\.([0-9]+))?([a-zA-Z%])?$/u;

/** Python's `format(value, spec)`. */
export function formatValue(value: Value, spec: string): string {
  if (spec === '') return toText(value);
  if (isText(value)) return formatText(textOf(value), parse(spec, 'str', 's'));
  const number = numeric(value);
  if (number === undefined) throw typeFault(`unsupported format string passed to ${typeName(value)}.__format__`);
  const floating = value instanceof Float || (typeof value === 'number' && !Number.isInteger(value));
  const parsed = parse(spec, typeName(value), floating ? '' : 'd');
  const asFloat = floating || 'eEfFgG%'.includes(parsed.type || '-');
  return asFloat ? formatFloat(toFloat(value), parsed) : formatInt(BigInt(number), parsed, typeName(value));
}

function parse(spec: string, type: string, usual: string): Spec {
  const match = grammar.exec(spec);
  if (match === null) throw valueFault(`Invalid format specifier '${spec}' for object of type '${type}'`);
  const width = Number(match[7] ?? 0);
  const precision = match[9] === undefined ? undefined : Number(match[9]);
  if (width > 10_000_000 || (precision ?? 0) > 10_000_000) throw limitFault('the width of a format is too large');
  allowText(width + (precision ?? 0));
  const zero = match[6] !== undefined;
  checkGrouping(match[8], match[10] ?? usual);
  return {
    fill: match[1] ?? (zero ? '0' : ' '),
    align: match[2] ?? '',
    sign: match[3] ?? '',
    alternate: match[5] !== undefined,
    zero,
    width,
    grouping: match[8] ?? '',
    precision,
    type: match[10] ?? '',
  };
}

function checkGrouping(grouping: string | undefined, code: string): void {
  if (grouping === undefined || 'deEfFgG%'.includes(code) || (grouping === '_' && bases.has(code))) return;
  throw valueFault(`Cannot specify '${grouping}' with '${code}'.`);
}

function unknownCode(type: string, name: string): Error {
  return valueFault(`Unknown format code '${type}' for object of type '${name}'`);
}

function formatText(text: string, spec: Spec): string {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, 'str');
  if (spec.sign === ' ') throw valueFault('Space not allowed in string format specifier');
  if (spec.sign !== '') throw valueFault('Sign not allowed in string format specifier');
  if (spec.alternate) throw valueFault('Alternate form (#) not allowed in string format specifier');
  if (spec.align === '=') throw valueFault("'=' alignment not allowed in string format specifier");
  const cut = spec.precision === undefined ? text : sliceCharacters(text, 0, spec.precision);
  return alignText(cut, '', { ...spec, align: spec.align || '<' });
}

const bases: ReadonlyMap<string, readonly [radix: number, prefix: string]> = new Map([
  ['b', [2, '0b']],
  ['o', [8, '0o']],
  ['x', [16, '0x']],
  ['X', [16, '0X']],
]);

function formatInt(value: bigint, spec: Spec, name: string): string {
  if (spec.precision !== undefined) throw valueFault('Precision not allowed in integer format specifier');
  if (spec.type === 'c') return formatCharacter(value, spec);
  const base = bases.get(spec.type);
  if (base === undefined && !['', 'd', 'n'].includes(spec.type)) throw unknownCode(spec.type, name);
  const magnitude = value < 0n ? -value : value;
  const digits = base === undefined ? intText(magnitude) : magnitude.toString(base[0]);
  const cased = spec.type === 'X' ? digits.toUpperCase() : digits;
  const prefix = spec.alternate && base !== undefined ? base[1] : '';
  return numberText(cased, signOf(value < 0n, spec) + prefix, spec);
}

function formatCharacter(value: bigint, spec: Spec): string {
  if (spec.sign !== '') throw valueFault("Sign not allowed with integer format specifier 'c'");
  if (spec.alternate) throw valueFault("Alternate form (#) not allowed with integer format specifier 'c'");
  return alignText(codePointText(value), '', { ...spec, align: spec.align || '<' });
}

function codePointText(value: bigint): string {
  if (value < 0n || value > 0x10ffffn) throw runtimeFault('OverflowError', '%c arg not in range(0x110000)');
  return String.fromCodePoint(Number(value));
}

function formatFloat(value: number, spec: Spec): string {
  const negative = value < 0 || Object.is(value, -0);
  return numberText(realDigits(Math.abs(value), spec), signOf(negative, spec), spec);
}

function realDigits(magnitude: number, spec: Spec): string {
  const precision = spec.precision ?? 6;
  const style = spec.type.toLowerCase();
  if (style === '%') return `${formatReal(magnitude * 100, { style: 'f', precision, alternate: spec.alternate })}%`;
  if (style === '') return formatShortest(magnitude, spec);
  if (style === 'n') return formatReal(magnitude, { style: 'g', precision, alternate: spec.alternate });
  if (style !== 'e' && style !== 'f' && style !== 'g') throw unknownCode(spec.type, 'float');
  const text = formatReal(magnitude, { style, precision, alternate: spec.alternate });
  return spec.type === style ? text : text.toUpperCase();
}

/** Without a type a float keeps at least one decimal. */
function formatShortest(magnitude: number, spec: Spec): string {
  if (spec.precision === undefined || !Number.isFinite(magnitude)) return floatText(magnitude);
  const text = formatReal(magnitude, { style: 'g', precision: spec.precision, alternate: spec.alternate });
  if (/[.en]/.test(text)) return text;
  return text.length >= Math.max(1, spec.precision) && spec.precision > 0 && text.length === spec.precision
    ? formatReal(magnitude, { style: 'e', precision: Math.max(0, spec.precision - 1), alternate: false })
    : `${text}.0`;
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return '-';
  return spec.sign === '-' ? '' : spec.sign;
}

function numberText(digits: string, sign: string, spec: Spec): string {
  const align = spec.align || (spec.zero ? '=' : '>');
  if (spec.grouping === '') return alignText(digits, sign, { ...spec, align });
  const size = bases.has(spec.type) ? 4 : 3;
  const zeroWidth = align === '=' && spec.fill === '0' ? spec.width - sign.length : 0;
  return alignText(groupDigits(digits, spec.grouping, { size, width: zeroWidth }), sign, { ...spec, align });
}

function groupDigits(digits: string, separator: string, { size, width }: { size: number; width: number }): string {
  const end = /^[0-9a-fA-F]*/.exec(bodyOf(digits))?.[0].length ?? 0;
  const rest = digits.slice(end);
  let whole = digits.slice(0, end);
  while (whole.length + Math.floor((whole.length - 1) / size) + rest.length < width) whole = `0${whole}`;
  let out = '';
  for (let index = 0; index < whole.length; index += 1) {
    if (index > 0 && (whole.length - index) % size === 0) out += separator;
    out += whole.charAt(index);
  }
  return out + rest;
}

/** Stops before an exponent, whose letter looks like a hexadecimal digit. */
function bodyOf(digits: string): string {
  return digits.includes('.') ? digits.slice(0, digits.indexOf('.')) : digits;
}

function alignText(body: string, sign: string, spec: Spec): string {
  const missing = spec.width - textLength(body) - sign.length;
  if (missing <= 0) return sign + body;
  const fill = (count: number): string => spec.fill.repeat(count);
  switch (spec.align) {
    case '<':
      return sign + body + fill(missing);
    case '^':
      return fill(Math.floor(missing / 2)) + sign + body + fill(missing - Math.floor(missing / 2));
    case '=':
      return sign + fill(missing) + body;
    default:
      return fill(missing) + sign + body;
  }
}
