import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { starterFiles, type TemplateName, templateFiles, templateTable } from '../../setup/templates.js';

const templates = Object.keys(templateTable) as readonly TemplateName[];

export const command = defineCommand({
  name: 'init',
  summary: 'Writes a starter workflow, or a whole project, that runs at once',
  operands: '[FOLDER]',
  arity: [0, 1],
  options: {
    template: { type: 'text', value: 'NAME', choices: templates, about: 'A project instead of a single workflow' },
    force: { type: 'flag', about: 'Writes over files that are there' },
  },
  examples: ['fullstop init', 'fullstop init my-agent --template agent'],
  notes: Object.entries(templateTable).map(([name, summary]) => `--template ${name}: ${summary}.`),
  run: async ({ options, positionals, terminal, cwd }) => {
    const folder = resolve(cwd, positionals[0] ?? '.');
    const template = templates.find((name) => name === options.template);
    const found = template === undefined ? starterFiles() : templateFiles(template);
    const files = found.map(({ path, text }) => ({ file: join(folder, path), text }));
    const existing = files.filter(({ file }) => existsSync(file)).map(({ file }) => relative(cwd, file));
    if (existing.length > 0 && !options.force)
      throw new UsageError(`${existing.join(' and ')} exist already; nothing was written. --force writes over them.`);
    for (const { file, text } of files) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      terminal.error(`wrote ${relative(cwd, file)}\n`);
    }
    const at = (name: string): string => relative(cwd, join(folder, name));
    const enter = folder === cwd ? [] : [`cd ${relative(cwd, folder)}`];
    const commands =
      template === undefined
        ? [`fullstop run ${at('triage.yaml')} --scripted ${at('triage.script.yaml')} -i ticket="My parcel never came"`]
        : [...enter, 'npm install', 'npm test', 'npm start'];
    const why = template === 'agent' || template === 'workflow' ? ['npx fullstop why'] : [];
    const lines = template === undefined ? [...commands, 'fullstop why'] : [...commands, ...why];
    terminal.error(`\nTry it:\n${lines.map((line) => `  ${terminal.errorStyle.cyan(line)}\n`).join('')}`);
    return exitCodes.succeeded;
  },
});
