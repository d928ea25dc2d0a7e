import { parseArgs } from 'node:util';
import type { Command } from './command.js';
import { type GlobalValues, globalOptions, type OptionSpec, type OptionTable, type OptionValues } from './option.js';
import { suggestion } from './suggestion.js';
import { UsageError } from './usage-error.js';

export interface ParsedCommand {
  readonly options: OptionValues<OptionTable> & GlobalValues;
  readonly positionals: readonly string[];
}

interface OptionToken {
  readonly kind: 'option';
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Reads the arguments after a command's name. Unknown or wrong ones are refused with a guess at what was meant. */
export function parseCommand(command: Command, args: readonly string[]): ParsedCommand {
  const table: OptionTable = { ...command.options, ...globalOptions };
  const { tokens } = parseArgs({
    args: [...args],
    options: parserOptions(table),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, unknown>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind === 'option') take(command, table, values, token as OptionToken);
  }
  const options = Object.fromEntries(
    Object.entries(table).map(([name, spec]) => [name, values.get(name) ?? absent(spec)]),
  ) as ParsedCommand['options'];
  if (!options.help) checkArity(command, positionals);
  return { options, positionals };
}

/** The options with what the configuration says about those that are not given. */
export function withDefaults(
  command: Command,
  options: ParsedCommand['options'],
  defaults: Readonly<Record<string, string | number | boolean>>,
): ParsedCommand['options'] {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(defaults)) {
    const spec = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
    if (spec === undefined) {
      const hint = suggestion(name, Object.keys(command.options));
      throw new UsageError(
        `The configuration has a default for ${name} of ${command.name}, which is not an option${hint}.`,
      );
    }
    if (!isAbsent(options[name])) continue;
    if (spec.type === 'flag') values.set(name, value === true);
    else
      take(command, command.options, values, {
        kind: 'option',
        name,
        rawName: `--${name}`,
        value: String(value),
        inlineValue: true,
      });
  }
  return { ...options, ...Object.fromEntries(values) } as ParsedCommand['options'];
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === false || (Array.isArray(value) && value.length === 0);
}

function parserOptions(table: OptionTable): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { type, short }]) => [
      name,
      { type: type === 'flag' ? 'boolean' : 'string', ...(short !== undefined && { short }) },
    ]),
  );
}

function take(command: Command, table: OptionTable, values: Map<string, unknown>, token: OptionToken): void {
  const { name, rawName, value } = token;
  const spec = Object.hasOwn(table, name) ? table[name] : undefined;
  if (spec === undefined) {
    const known = Object.keys(table).map((known) => `--${known}`);
    throw wrong(command, `${rawName} is not an option of ${command.name}${suggestion(rawName, known)}.`);
  }
  if (spec.type === 'flag') {
    if (value !== undefined) throw wrong(command, `${rawName} takes no value, but was given ${JSON.stringify(value)}.`);
    values.set(name, true);
    return;
  }
  if (value === undefined || value === '') throw wrong(command, `${rawName} needs a value: ${rawName} ${spec.value}.`);
  if (spec.type === 'list') {
    values.set(name, [...((values.get(name) as readonly string[] | undefined) ?? []), value]);
    return;
  }
  if (values.has(name)) throw wrong(command, `${rawName} is given twice.`);
  values.set(name, spec.type === 'number' ? numberOf(command, rawName, value) : chosen(command, spec, rawName, value));
}

function chosen(command: Command, spec: OptionSpec, rawName: string, value: string): string {
  if (!('choices' in spec) || spec.choices === undefined || spec.choices.includes(value)) return value;
  const hint = suggestion(value, spec.choices);
  throw wrong(command, `${rawName} is one of ${spec.choices.join(', ')}, not ${JSON.stringify(value)}${hint}.`);
}

function numberOf(command: Command, rawName: string, value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw wrong(command, `${rawName} needs a number, not ${JSON.stringify(value)}.`);
  return number;
}

function absent(spec: OptionSpec): unknown {
  if (spec.type === 'flag') return false;
  return spec.type === 'list' ? [] : undefined;
}

function checkArity(command: Command, positionals: readonly string[]): void {
  const { name, operands, arity } = command;
  const [least, most] = arity;
  if (positionals.length < least) throw wrong(command, `Missing argument. Usage: fullstop ${name} ${operands}`);
  const extra = positionals[most];
  if (extra !== undefined)
    throw wrong(
      command,
      `${JSON.stringify(extra)} is one argument too many. Usage: fullstop ${name} ${operands}`.trimEnd(),
    );
}

function wrong(command: Command, message: string): UsageError {
  return new UsageError(message, { command: command.name });
}
