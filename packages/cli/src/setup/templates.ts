import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../command-line/package-folder.js';

/** The projects that `init --template` writes, each with what it is. */
export const templateTable = {
  agent: 'an agent with a tool, a model that needs no key, and tests of every ending it can have',
  workflow: 'a workflow file with tests',
  chat: 'a chat with approvals and a stop button that survives kill -9',
  'back-end': 'an HTTP service that starts, follows, answers and cancels runs, with workers',
} as const satisfies Readonly<Record<string, string>>;

export type TemplateName = keyof typeof templateTable;

/** One file of a template, with its path in the project. */
export interface TemplateFile {
  readonly path: string;
  readonly text: string;
}

/** The files of a template. */
export function templateFiles(name: TemplateName): readonly TemplateFile[] {
  const folder = join(packageFolder(), 'dist/templates', name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file))
    .sort()
    .map((path) => ({ path: projectPath(path.slice(folder.length + 1)), text: readFileSync(path, 'utf8') }));
}

/** The starter without a project around it: a workflow and the script of its model. */
export function starterFiles(): readonly TemplateFile[] {
  return templateFiles('workflow').filter(({ path }) => path.endsWith('.yaml'));
}

/** npm leaves files of this name out of a package. */
function projectPath(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path;
}
