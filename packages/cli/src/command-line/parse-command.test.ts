import { describe, expect, it } from 'vitest';
import { defineCommand } from './command.js';
import { parseCommand } from './parse-command.js';
import { UsageError } from './usage-error.js';

const command = defineCommand({
  name: 'demo',
  summary: 'A demo',
  operands: 'FILE [MORE]',
  arity: [1, 2],
  options: {
    fast: { type: 'flag', short: 'f', about: 'Fast' },
    limit: { type: 'number', value: 'N', about: 'A number' },
    input: { type: 'list', value: 'K=V', short: 'i', about: 'Inputs' },
    mode: { type: 'text', value: 'MODE', choices: ['slow', 'quick'], about: 'A mode' },
  },
  examples: [],
  run: async () => 0,
});

const parse = (...args: readonly string[]) => parseCommand(command, args);
const problem = (...args: readonly string[]): string => {
  try {
    parse(...args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  return 'no problem';
};

describe('parseCommand', () => {
  it('reads flags, numbers, lists, texts and operands in any order', () => {
    const { options, positionals } = parse(
      '-i',
      'a=1',
      'file.yaml',
      '--limit=3',
      '-f',
      '-i',
      'b=2',
      '--mode',
      'slow',
      'more',
    );
    expect(positionals).toEqual(['file.yaml', 'more']);
    expect(options).toMatchObject({
      fast: true,
      limit: 3,
      input: ['a=1', 'b=2'],
      mode: 'slow',
      help: false,
      store: undefined,
    });
  });

  it('returns absent lists and flags as empty and false', () => {
    expect(parse('x').options).toMatchObject({ fast: false, input: [], limit: undefined, mode: undefined });
  });

  it('reads everything after two dashes as operands', () => {
    expect(parse('--', '--fast', '-x').positionals).toEqual(['--fast', '-x']);
  });

  it('knows the options that every command has', () => {
    expect(parse('x', '--store', 's.db').options.store).toBe('s.db');
  });

  it.each([
    [['x', '--limt', '3'], '--limt is not an option of demo (did you mean "--limit"?).'],
    [['x', '--zzz'], '--zzz is not an option of demo.'],
    [['x', '--limit'], '--limit needs a value: --limit N.'],
    [['x', '--limit', 'many'], '--limit needs a number, not "many".'],
    [['x', '--limit', '1', '--limit', '2'], '--limit is given twice.'],
    [['x', '--fast=yes'], '--fast takes no value, but was given "yes".'],
    [['x', '--mode', 'quik'], '--mode is one of slow, quick, not "quik" (did you mean "quick"?).'],
    [[], 'Missing argument. Usage: fullstop demo FILE [MORE]'],
    [['a', 'b', 'c'], '"c" is one argument too many. Usage: fullstop demo FILE [MORE]'],
  ])('refuses %j', (args, message) => {
    expect(problem(...args)).toBe(message);
  });

  it('asks for no operands when help is wanted', () => {
    expect(parse('--help').options.help).toBe(true);
  });
});
