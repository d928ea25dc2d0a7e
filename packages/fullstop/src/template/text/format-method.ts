import { checkText } from '../evaluate/evaluation.js';
import { runtimeFault, valueFault } from '../evaluate/fault.js';
import type { CallArguments, Value } from '../value.js';
import { asciiOnly } from './format-percent.js';
import { formatValue } from './format-spec.js';
import { quote, toRepr, toText } from './python-text.js';

/** How a field such as `{0.name[key]}` reaches into its argument. */
export interface FieldAccess {
  attribute(object: Value, name: string): Value;
  item(object: Value, key: Value): Value;
}

/** Python's `template.format(…)`; attributes and items are those that templates can reach. */
export function formatMethod(template: string, call: CallArguments, access: FieldAccess): string {
  const formatter = new MethodFormatter(call, access);
  return formatter.run(template, 2);
}

class MethodFormatter {
  readonly #call: CallArguments;
  readonly #access: FieldAccess;
  #next = 0;
  #numbering: 'automatic' | 'manual' | undefined;

  constructor(call: CallArguments, access: FieldAccess) {
    this.#call = call;
    this.#access = access;
  }

  run(template: string, depth: number): string {
    if (depth < 0) throw valueFault('Max string recursion exceeded');
    let out = '';
    let at = 0;
    while (at < template.length) {
      const character = template.charAt(at);
      if (character !== '{' && character !== '}') {
        const end = nextBrace(template, at);
        checkText(out.length + end - at);
        out += template.slice(at, end);
        at = end;
      } else if (template.charAt(at + 1) === character) {
        out += character;
        at += 2;
      } else if (character === '}') {
        throw valueFault("Single '}' encountered in format string");
      } else {
        const end = closingBrace(template, at);
        out += this.#field(template.slice(at + 1, end), depth);
        checkText(out.length);
        at = end + 1;
      }
    }
    return out;
  }

  #field(field: string, depth: number): string {
    const { name, conversion, spec } = splitField(field);
    const converted = convert(this.#lookup(name), conversion);
    return formatValue(converted, spec.includes('{') || spec.includes('}') ? this.run(spec, depth - 1) : spec);
  }

  #lookup(field: string): Value {
    const end = field.search(/[.[]/);
    const first = end === -1 ? field : field.slice(0, end);
    let value = this.#argument(first);
    let rest = end === -1 ? '' : field.slice(end);
    while (rest !== '') {
      const { step, length } = nextStep(rest);
      value = step.attribute ? this.#access.attribute(value, step.name) : this.#access.item(value, itemKey(step.name));
      rest = rest.slice(length);
    }
    return value;
  }

  #argument(name: string): Value {
    if (name === '') return this.#positional(this.#numbered('automatic'));
    if (/^[0-9]+$/.test(name)) {
      this.#numbered('manual');
      return this.#positional(Number(name));
    }
    const value = this.#call.named?.get(name);
    if (value === undefined) throw runtimeFault('KeyError', quote(name));
    return value;
  }

  #numbered(kind: 'automatic' | 'manual'): number {
    if (this.#numbering !== undefined && this.#numbering !== kind) {
      const [from, to] =
        kind === 'manual'
          ? ['automatic field numbering', 'manual field specification']
          : ['manual field specification', 'automatic field numbering'];
      throw valueFault(`cannot switch from ${from} to ${to}`);
    }
    this.#numbering = kind;
    this.#next += 1;
    return this.#next - 1;
  }

  #positional(index: number): Value {
    const value = this.#call.positional[index];
    if (value === undefined) {
      throw runtimeFault('IndexError', `Replacement index ${index} out of range for positional args tuple`);
    }
    return value;
  }
}

function nextBrace(template: string, from: number): number {
  for (let at = from; at < template.length; at += 1) {
    const code = template.charCodeAt(at);
    if (code === 123 || code === 125) return at;
  }
  return template.length;
}

function closingBrace(template: string, open: number): number {
  let depth = 0;
  for (let at = open; at < template.length; at += 1) {
    const code = template.charCodeAt(at);
    if (code === 123) depth += 1;
    if (code === 125) depth -= 1;
    if (depth === 0) return at;
  }
  throw valueFault(
    open === template.length - 1 ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

function splitField(field: string): { name: string; conversion: string; spec: string } {
  let depth = 0;
  for (let at = 0; at < field.length; at += 1) {
    const character = field.charAt(at);
    if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (depth <= 0 && (character === ':' || character === '!')) return splitAt(field, at);
  }
  return { name: field, conversion: '', spec: '' };
}

function splitAt(field: string, at: number): { name: string; conversion: string; spec: string } {
  const name = field.slice(0, at);
  if (field.charAt(at) === ':') return { name, conversion: '', spec: field.slice(at + 1) };
  const conversion = field.charAt(at + 1);
  if (conversion === '') throw valueFault('end of string while looking for conversion specifier');
  const after = field.charAt(at + 2);
  if (after !== '' && after !== ':') throw valueFault("expected ':' after conversion specifier");
  return { name, conversion, spec: field.slice(at + 3) };
}

function convert(value: Value, conversion: string): Value {
  switch (conversion) {
    case '':
      return value;
    case 's':
      return toText(value);
    case 'r':
      return toRepr(value);
    case 'a':
      return asciiOnly(toRepr(value));
    default:
      throw valueFault(`Unknown conversion specifier '${conversion}'`);
  }
}

function nextStep(rest: string): { step: { attribute: boolean; name: string }; length: number } {
  if (rest.startsWith('.')) {
    const end = rest.slice(1).search(/[.[]/);
    const name = end === -1 ? rest.slice(1) : rest.slice(1, end + 1);
    if (name === '') throw valueFault('Empty attribute in format string');
    return { step: { attribute: true, name }, length: name.length + 1 };
  }
  if (!rest.startsWith('[')) throw valueFault("Only '.' or '[' may follow ']' in format field specifier");
  const end = rest.indexOf(']');
  if (end === -1) throw valueFault("Missing ']' in format string");
  if (end === 1) throw valueFault('Empty attribute in format string');
  return { step: { attribute: false, name: rest.slice(1, end) }, length: end + 1 };
}

function itemKey(name: string): Value {
  return /^[0-9]+$/.test(name) ? Number(name) : name;
}
