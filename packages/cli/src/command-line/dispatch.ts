import { loadConfig } from '../config/load-config.js';
import { secretMask } from '../config/secret-mask.js';
import { processTerminal, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';
import { commandTable } from './command-table.js';
import { exitCodes } from './exit-code.js';
import { commandHelp, programHelp } from './help.js';
import { parseCommand, withDefaults } from './parse-command.js';
import { reportError } from './report-error.js';
import { suggestion } from './suggestion.js';
import { UsageError } from './usage-error.js';

/** Where a command is typed. */
export interface Surroundings {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Finds the command, reads its arguments and runs it. Returns the exit code; never throws. */
export async function dispatch(
  args: readonly string[],
  { terminal, env, cwd }: Surroundings = processSurroundings(args),
): Promise<number> {
  try {
    const [name = '', ...rest] = args;
    if (name === '' || name === 'help' || name === '--help' || name === '-h') return await help(rest[0], terminal);
    const command = await find(name);
    const { options, positionals } = parseCommand(command, rest);
    if (options.help) return printHelp(command, terminal);
    const use = command.config ?? 'any';
    if (use !== 'none') terminal.hide(await secretMask({}, env));
    const loaded = await loadConfig({ cwd, named: options.config, use });
    if (loaded.file !== undefined) terminal.hide(await secretMask(loaded.config, env));
    const { defaults = {} } = loaded.config;
    const given = withDefaults(command, options, defaults[name] ?? {});
    return await command.run({ options: given, positionals, terminal, env, cwd, loaded, allCommands });
  } catch (error) {
    return reportError(error, terminal);
  } finally {
    await terminal.flush();
  }
}

function processSurroundings(args: readonly string[]): Surroundings {
  const { env } = process;
  return { terminal: processTerminal({ env, color: colourWish(args) }), env, cwd: process.cwd() };
}

function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(commandTable).map(async ({ load }) => (await load()).command));
}

/** Looked for before anything is parsed, so that errors of parsing have the right colours too. */
function colourWish(args: readonly string[]): string | undefined {
  const index = args.findIndex((arg) => arg === '--color' || arg.startsWith('--color='));
  const arg = args[index];
  return arg === '--color' ? args[index + 1] : arg?.slice('--color='.length);
}

async function find(name: string): Promise<Command> {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (entry !== undefined) return (await entry.load()).command;
  const hint = suggestion(name, Object.keys(commandTable));
  throw new UsageError(`fullstop has no command ${JSON.stringify(name)}${hint}. fullstop --help lists them.`);
}

async function help(name: string | undefined, terminal: Terminal): Promise<number> {
  if (name !== undefined) return printHelp(await find(name), terminal);
  terminal.out(programHelp({ style: terminal.outStyle, columns: terminal.outColumns }));
  return exitCodes.succeeded;
}

function printHelp(command: Command, terminal: Terminal): number {
  terminal.out(commandHelp(command, { style: terminal.outStyle, columns: terminal.outColumns }));
  return exitCodes.succeeded;
}
