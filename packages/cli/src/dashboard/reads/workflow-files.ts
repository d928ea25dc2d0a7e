import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { LoadedDocument } from 'fullstop/workflow';
import { shownDocument } from '../../workflow/shown-document.js';
import type { WorkflowFile, WorkflowForm, WorkflowList } from '../api/workflows.js';
import { ApiError } from '../http/api-error.js';

const endings: ReadonlySet<string> = new Set(['.yaml', '.yml']);
const mostFiles = 200;
const deepest = 3;
const mostBytes = 1_000_000;

type Env = Readonly<Record<string, string | undefined>>;

/** The workflow files at and below a folder; hidden folders and packages are left out. */
export async function workflowFiles(cwd: string, env: Env): Promise<WorkflowList> {
  const found = filesBelow(cwd, '', deepest).filter((file) => looksLikeWorkflow(join(cwd, file)));
  const listed = await Promise.all(found.slice(0, mostFiles).map((file) => describeFile(cwd, file, env)));
  return { workflows: listed, complete: found.length <= mostFiles };
}

function filesBelow(cwd: string, folder: string, depth: number): readonly string[] {
  return readdirSync(join(cwd, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((left, right) => left.name.localeCompare(right.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? filesBelow(cwd, path, depth - 1) : [];
      return entry.isFile() && endings.has(extname(entry.name)) ? [path] : [];
    });
}

/** Most YAML files of a project are something else. */
function looksLikeWorkflow(file: string): boolean {
  if (statSync(file).size > mostBytes) return false;
  const text = readFileSync(file, 'utf8');
  return /^workflow\s*:/m.test(text) && /^(agents|parallel|for_each)\s*:/m.test(text);
}

async function describeFile(cwd: string, file: string, env: Env): Promise<WorkflowFile> {
  const shown = file.split(sep).join('/');
  try {
    const { document } = await loadShown(join(cwd, file), env);
    const { name, description } = document.workflow;
    return { file: shown, name, ...(description !== undefined && { description }) };
  } catch (error) {
    return { file: shown, problem: (error as Error).message };
  }
}

async function loadShown(file: string, env: Env): Promise<LoadedDocument> {
  const shown = await shownDocument({ file, env });
  if (shown !== undefined) return shown;
  const { loadDocument, WorkflowInvalid } = await import('fullstop/workflow');
  const result = loadDocument({ file, env });
  throw result.ok ? new Error('It has changed while it was read.') : new WorkflowInvalid(result.problems);
}

/** The file of a name in an address, which must be one of the folder, links followed. */
export function workflowFile(cwd: string, name: string): string {
  const path = join(cwd, name);
  const real = endings.has(extname(name)) && existsSync(path) ? realpathSync(path) : cwd;
  const way = relative(realpathSync(cwd), real);
  if (way.startsWith('..') || !statSync(real).isFile())
    throw new ApiError(`There is no workflow file ${JSON.stringify(name.slice(0, 200))} here.`, {
      status: 404,
      code: 'FILE_NOT_FOUND',
    });
  return real;
}

/** The inputs of a workflow, to make a form of. */
export async function workflowForm(cwd: string, name: string, env: Env): Promise<WorkflowForm> {
  return formOf(name, await loadShown(workflowFile(cwd, name), env));
}

/** The inputs of a workflow that was loaded, to make a form of. */
export function formOf(name: string, loaded: LoadedDocument): WorkflowForm {
  const { workflow } = loaded.document;
  return {
    file: name,
    name: workflow.name,
    ...(workflow.description !== undefined && { description: workflow.description }),
    inputs: [...workflow.input].map(([input, { type, required, default: usual = 'null', description }]) => ({
      name: input,
      type,
      // A default makes up for what is not given.
      required: required && usual === 'null',
      ...(usual !== 'null' && { default: JSON.parse(usual) as unknown }),
      ...(description !== undefined && { description }),
    })),
    warnings: loaded.warnings.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`),
  };
}
