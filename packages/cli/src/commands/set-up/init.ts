import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { starterFiles } from '../../setup/starter.js';

export const command = defineCommand({
  name: 'init',
  summary: 'Writes a starter workflow with a scripted model that runs at once',
  operands: '[FOLDER]',
  arity: [0, 1],
  options: { force: { type: 'flag', about: 'Writes over files that are there' } },
  examples: ['fullstop init', 'fullstop init support'],
  run: async ({ options, positionals, terminal, cwd }) => {
    const folder = resolve(cwd, positionals[0] ?? '.');
    const files = Object.entries(starterFiles).map(([name, text]) => ({ file: join(folder, name), text }));
    const existing = files.filter(({ file }) => existsSync(file)).map(({ file }) => relative(cwd, file));
    if (existing.length > 0 && !options.force)
      throw new UsageError(`${existing.join(' and ')} exist already; nothing was written. --force writes over them.`);
    mkdirSync(folder, { recursive: true });
    for (const { file, text } of files) {
      writeFileSync(file, text);
      terminal.error(`wrote ${relative(cwd, file)}\n`);
    }
    const at = (name: string): string => relative(cwd, join(folder, name));
    const command = `fullstop run ${at('triage.yaml')} --scripted ${at('triage.script.yaml')} -i ticket="My parcel never came"`;
    terminal.error(
      `\nTry it:\n  ${terminal.errorStyle.cyan(command)}\n  ${terminal.errorStyle.cyan('fullstop why')}\n`,
    );
    return exitCodes.succeeded;
  },
});
