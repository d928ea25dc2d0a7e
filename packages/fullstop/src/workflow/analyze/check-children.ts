import { dirname, resolve } from 'node:path';
import { suggestion } from '../../termination/text/suggestion.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import type { WorkflowStep } from '../schema/steps/workflow.js';
import { addProblems, type DocumentPath } from '../source/problem.js';
import { tryRead } from '../source/read-tree.js';
import { locate } from '../source/yaml-node.js';
import type { AnalysisRow, Meaning } from './meaning.js';

const deepest = 10;

/** The module that a step names must be there. */
export function checkModule(meaning: Meaning, step: { readonly use: string }, path: DocumentPath): void {
  const module = step.use.split('#', 1)[0] ?? '';
  if (!module.startsWith('.') && !module.startsWith('/')) return;
  const target = resolve(directoryOf(meaning), module);
  const text = tryRead(meaning.readFile, target);
  if (typeof text === 'string') return;
  const at = { at: locate(meaning.root, [...path, 'use']), path: [...path, 'use'], text: module };
  meaning.report.error({ code: text.code, message: `${text.message}: '${module}' (${target})`, ...at });
}

function directoryOf({ chain }: Meaning): string {
  return dirname(chain.at(-1) ?? '.');
}

/** The sub-workflow that a step names must be there, be right itself and get its inputs. */
export function checkSubWorkflow(meaning: Meaning, step: WorkflowStep, path: DocumentPath): void {
  const { chain, report, root } = meaning;
  const at = { at: locate(root, [...path, 'workflow']), path: [...path, 'workflow'], text: step.workflow };
  const target = resolve(directoryOf(meaning), step.workflow);
  if (chain.includes(target)) {
    const message = `Agent '${step.name}': circular sub-workflow reference, '${step.workflow}' leads back to itself`;
    report.error({ code: 'WORKFLOW_CYCLE', message, hint: 'It can be run with --lenient; max_depth bounds it', ...at });
    return;
  }
  if (chain.length > deepest) {
    report.warn({ code: 'TOO_DEEP', message: `Sub-workflows below ${deepest} levels are not checked`, ...at });
    return;
  }
  const result = meaning.child(step.workflow);
  if (!result.ok) {
    const isMissing = result.problems.some(({ code, path: inner }) => code === 'FILE_NOT_FOUND' && inner === '');
    const isUnreadable = result.problems.some(({ stage, severity }) => stage !== 'semantic' && severity === 'error');
    const failure = isUnreadable ? 'failed to load' : 'failed validation';
    const message = isMissing
      ? `sub-workflow file not found: '${step.workflow}'`
      : `sub-workflow '${step.workflow}' ${failure}`;
    report.error({ code: 'BAD_WORKFLOW', message: `Agent '${step.name}': ${message}`, ...at });
    if (isMissing) return;
    const problems = result.problems.map((problem) => ({ ...problem, stage: 'semantic' as const }));
    addProblems(report.problems, problems);
    return;
  }
  addProblems(report.problems, result.loaded.warnings);
  checkInputs(meaning, { step, path, child: result.loaded });
}

interface Call {
  readonly step: WorkflowStep;
  readonly path: DocumentPath;
  readonly child: LoadedFile<AnalysisRow>;
}

function checkInputs({ root, report, names }: Meaning, { step, path, child }: Call): void {
  const inputs = child.document.workflow.input;
  const given = step.input_mapping === undefined ? names.inputs : [...step.input_mapping.keys()];
  const at = { at: locate(root, path), path };
  for (const [name, { required, default: fallback }] of inputs) {
    if (!required || fallback !== undefined || given.includes(name)) continue;
    const message = `Agent '${step.name}' does not give '${step.workflow}' its required input '${name}'`;
    report.error({ code: 'MISSING_INPUT', message, hint: 'Add it to input_mapping', ...at });
  }
  if (step.input_mapping === undefined || inputs.size === 0) return;
  for (const name of given) {
    if (inputs.has(name)) continue;
    const mapping = [...path, 'input_mapping', name];
    const message = `'${step.workflow}' declares no input '${name}'${suggestion(name, [...inputs.keys()])}`;
    report.warn({ code: 'UNKNOWN_INPUT', message, at: locate(root, mapping), path: mapping });
  }
}
