import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toErrorData } from '../../../termination/errors/to-error-data.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { SkillDiscovery } from '../../schema/record-types.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import { isBelow, readRegularFile } from '../../source/read-regular-file.js';
import { directoryOf, type Runtime } from '../runtime.js';

/** The text of the skills that a step has, for its prompt; empty without any. */
export function skillsText(step: AgentStep, runtime: Runtime): string {
  const settings = runtime.program.document.workflow.runtime;
  const entries = step.skills ?? settings.skills;
  // An agent's own list takes the place of whatever could be found.
  const found = step.skills === undefined ? discovered(settings.skill_discovery, directoryOf(runtime.loaded)) : [];
  const { folder } = runtime.environment;
  const allowed = found.filter((directory) => folder === undefined || isBelow(directory, folder));
  const directories = [...entries.flatMap((entry) => directoriesOf(entry, runtime)), ...allowed];
  if (directories.length === 0) return '';
  const texts = [...new Set(directories)].map((directory) => readSkill(directory, folder));
  const text = `<skills>\n${texts.join('\n\n')}\n</skills>\n\n`;
  const { max_bytes: most } = settings.skill_injection;
  const size = Buffer.byteLength(text);
  if (most === undefined || size <= most) return text;
  throw new StepProblem(
    'ValidationError',
    `The skills of '${step.name}' are ${size} bytes; at most ${most} may be put into a prompt`,
  );
}

function readSkill(directory: string, folder: string | undefined): string {
  const file = join(directory, 'SKILL.md');
  try {
    return readRegularFile(file, folder);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, cause: unknown): StepProblem {
  return new StepProblem('ExecutionError', `The skill ${file} cannot be read. ${toErrorData(cause).message}`, {
    cause,
  });
}

/** A directory with a SKILL.md, or one that holds such directories; the names of built-in skills have none here. */
function directoriesOf(entry: string, runtime: Runtime): readonly string[] {
  if (!/[\\/.~]/.test(entry)) return [];
  const path = resolve(directoryOf(runtime.loaded), entry.replace(/^~(?=$|\/)/, homedir()));
  if (existsSync(join(path, 'SKILL.md'))) return [path];
  const inner = skillsIn(path);
  if (inner.length > 0) return inner;
  throw new StepProblem('ExecutionError', `There is no skill at ${path}`);
}

function skillsIn(root: string): readonly string[] {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(root)
    .sort()
    .map((name) => join(root, name))
    .filter((path) => existsSync(join(path, 'SKILL.md')));
}

const projectRoots = ['.github/skills', '.claude/skills'] as const;
const personalRoots = ['.copilot/skills', '.claude/skills'] as const;

/** Skills of the project, up to its git root, before those of the person. */
function discovered(discovery: SkillDiscovery | undefined, from: string): readonly string[] {
  if (discovery === undefined) return [];
  const roots: string[] = [];
  if (discovery.sources.includes('project')) {
    for (const directory of upToGitRoot(from)) roots.push(...projectRoots.map((root) => join(directory, root)));
  }
  if (discovery.sources.includes('personal')) roots.push(...personalRoots.map((root) => join(homedir(), root)));
  const excluded = new Set(discovery.exclude);
  const byName = new Map<string, string>();
  for (const path of roots.flatMap(skillsIn)) {
    const name = path.slice(dirname(path).length + 1);
    if (!excluded.has(name) && !byName.has(name)) byName.set(name, path);
  }
  return [...byName.values()];
}

function upToGitRoot(from: string): readonly string[] {
  const directories: string[] = [];
  for (let current = from; ; current = dirname(current)) {
    directories.push(current);
    if (existsSync(join(current, '.git')) || dirname(current) === current) return directories;
  }
}
