import type { Reference } from '../../template/reference.js';
import type { Step } from '../schema/document.js';
import { locate } from '../source/yaml-node.js';
import { type InputReference, readInputReference } from './input-reference.js';
import type { Meaning } from './meaning.js';
import { titleOf } from './text-place.js';
import type { TextUse } from './text-uses.js';

/** In explicit context mode a step sees only what its `input` list declares: warns about the rest. */
export function checkExplicitContext(meaning: Meaning, use: TextUse, references: readonly Reference[]): void {
  const { step, path } = use;
  if (meaning.document.workflow.context.mode !== 'explicit' || step === undefined || use.seesEverything) return;
  if (meaning.steps.of(step).shape.sees === 'everything') return;
  const declared = 'input' in step ? step.input.flatMap((text) => readInputReference(text) ?? []) : [];
  const reported = new Set<string>();
  for (const reference of references) {
    const message = undeclared(meaning, { step, declared, reference });
    if (message === undefined || reported.has(message)) continue;
    reported.add(message);
    const full = `${titleOf(use)} references ${message} (explicit context mode)`;
    meaning.report.warn({ code: 'UNDECLARED_INPUT', message: full, at: locate(meaning.root, path), path });
  }
}

interface Look {
  readonly step: Step;
  readonly declared: readonly InputReference[];
  readonly reference: Reference;
}

function undeclared({ names, steps }: Meaning, { step, declared, reference }: Look): string | undefined {
  const { root, path } = reference;
  const [word, field] = path;
  if (root === 'workflow') {
    if (word !== 'input' || field === undefined || steps.of(step).shape.sees === 'inputs') return undefined;
    const isDeclared = declared.some(({ kind, unit }) => kind === 'input' && unit === field);
    return isDeclared ? undefined : missing(`workflow.input.${field}`, step);
  }
  if (!names.has(root) || (word !== 'output' && word !== 'outputs' && word !== 'errors')) return undefined;
  const own = declared.filter(({ kind, unit }) => kind === word && unit === root);
  if (own.length === 0) return missing(`${root}.${word}`, step);
  if (word === 'errors' || own.some((input) => isCovered(input, path.slice(1)))) return undefined;
  const list = own.map((input) => [root, word, ...input.path].join('.')).join(', ');
  const whole = path.length === 1 ? 'the whole ' : '';
  return `${whole}'${[root, ...path].join('.')}' but agent '${step.name}' only declares ${list} in its input list`;
}

/** Whether a declared path holds the path that is read. */
function isCovered({ path }: InputReference, read: readonly string[]): boolean {
  return path.every((part, index) => read[index] === part);
}

function missing(name: string, step: Step): string {
  return `'${name}' but agent '${step.name}' does not declare '${name}' in its input list`;
}
