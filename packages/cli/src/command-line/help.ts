import type { Style } from '../terminal/style.js';
import { wrapped } from '../terminal/wrap.js';
import type { Command } from './command.js';
import { commandTable } from './command-table.js';
import { globalOptions, type OptionTable } from './option.js';

export interface HelpLook {
  readonly style: Style;
  readonly columns: number;
}

/** The help of the whole program. */
export function programHelp({ style, columns }: HelpLook): string {
  const lines = [
    ...wrapped('Every run ends with exactly one typed termination; fullstop says which, why, and what to do.', columns),
    '',
  ];
  lines.push(`${style.bold('Usage')}  fullstop COMMAND [OPTIONS]`);
  for (const [group, entries] of grouped()) {
    lines.push('', style.bold(group));
    lines.push(
      ...twoColumns(
        entries.map(([name, { summary }]) => [name, summary]),
        columns,
        style,
      ),
    );
  }
  lines.push(
    '',
    ...wrapped('fullstop COMMAND --help says more about one. fullstop --version says which version this is.', columns),
  );
  return `${lines.join('\n')}\n`;
}

/** The help of one command. */
export function commandHelp(command: Command, { style, columns }: HelpLook): string {
  const { name, summary, operands, options, examples, notes = [] } = command;
  const lines = [
    ...wrapped(`${summary}.`, columns),
    '',
    `${style.bold('Usage')}  fullstop ${name} ${operands} [OPTIONS]`.replace('  [', ' ['),
  ];
  for (const note of notes) lines.push('', ...wrapped(note, columns));
  const rows = optionRows(options);
  if (rows.length > 0) lines.push('', style.bold('Options'), ...twoColumns(rows, columns, style));
  lines.push('', style.bold('Common options'), ...twoColumns(optionRows(globalOptions), columns, style));
  if (examples.length > 0) lines.push('', style.bold('Examples'), ...examples.map((example) => `  ${example}`));
  return `${lines.join('\n')}\n`;
}

function grouped(): Map<string, [string, (typeof commandTable)[string]][]> {
  const groups = new Map<string, [string, (typeof commandTable)[string]][]>();
  for (const [name, entry] of Object.entries(commandTable))
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), [name, entry]]);
  return groups;
}

function optionRows(options: OptionTable): (readonly [string, string])[] {
  return Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '' : `-${spec.short}, `;
    return [`${short}--${name}${spec.type === 'flag' ? '' : ` ${spec.value}`}`, spec.about];
  });
}

/** A narrower terminal gets descriptions below the names instead of beside them. */
const leastRoom = 24;

function twoColumns(rows: readonly (readonly [string, string])[], columns: number, style: Style): readonly string[] {
  const width = Math.min(Math.max(...rows.map(([left]) => left.length)), 28);
  return rows.flatMap(([left, right]) => {
    if (columns - width - 4 < leastRoom)
      return [`  ${style.cyan(left)}`, ...wrapped(right, columns - 6).map((line) => `      ${line}`)];
    const [first = '', ...rest] = wrapped(right, columns - width - 4);
    const begin =
      left.length <= width
        ? [`  ${style.cyan(left)}${' '.repeat(width - left.length)}  ${first}`]
        : [`  ${style.cyan(left)}`, `${' '.repeat(width + 4)}${first}`];
    return [...begin, ...rest.map((line) => ' '.repeat(width + 4) + line)];
  });
}
