import type { LoadedConfig } from '../config/config.js';
import type { ConfigUse } from '../config/load-config.js';
import type { Terminal } from '../terminal/terminal.js';
import type { GlobalValues, OptionTable, OptionValues } from './option.js';

/** The parsed arguments and surroundings of a command. */
export interface Invocation<TTable extends OptionTable = OptionTable> {
  readonly options: OptionValues<TTable> & GlobalValues;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly loaded: LoadedConfig;
  /** Every command, loaded; for those that write about them. */
  allCommands(): Promise<readonly Command[]>;
}

/** A command as data, with what it does. */
export interface Command<TTable extends OptionTable = OptionTable> {
  readonly name: string;
  readonly summary: string;
  /** The operands after the name, such as `RUN [ID]`. */
  readonly operands: string;
  /** How many operands there must and may be. */
  readonly arity: readonly [least: number, most: number];
  readonly options: TTable;
  readonly examples: readonly string[];
  /** Which configurations it may use; any unless given. */
  readonly config?: ConfigUse;
  /** More to know, as paragraphs. */
  readonly notes?: readonly string[];
  /** Runs it and returns the exit code. */
  run(invocation: Invocation<TTable>): Promise<number>;
}

/** Checks a command against its own table of options. */
export function defineCommand<const TTable extends OptionTable>(command: Command<TTable>): Command {
  return command as unknown as Command;
}
