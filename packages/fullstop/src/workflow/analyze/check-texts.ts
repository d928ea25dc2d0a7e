import type { Reference } from '../../template/reference.js';
import { suggestion } from '../../termination/text/suggestion.js';
import { checkExplicitContext } from './check-explicit-context.js';
import { checkIncludes } from './check-includes.js';
import type { Meaning } from './meaning.js';
import { scopeOfUse } from './scope-of-use.js';
import { placeOf, titleOf } from './text-place.js';
import { textReferences } from './text-references.js';
import { type TextUse, textUses } from './text-uses.js';

/** Every template and condition: that it compiles and that what it names exists. */
export function checkTexts(meaning: Meaning): void {
  for (const use of textUses(meaning.document, meaning.steps.fields)) {
    const { references, error } = textReferences(use);
    if (error !== undefined) {
      const { message, line, column } = error;
      const at = placeOf(meaning, use, { line, column });
      meaning.report.error({ code: 'BAD_TEMPLATE', message, at, path: use.path, text: use.text });
    }
    for (const reference of references) checkReference(meaning, use, reference);
    checkExplicitContext(meaning, use, references);
    if (use.file !== undefined) checkIncludes(meaning, use);
  }
}

interface Unknown {
  readonly code: string;
  readonly message: string;
  readonly isWarning?: true;
}

function checkReference(meaning: Meaning, use: TextUse, reference: Reference): void {
  const unknown = whatIsUnknown(meaning, use, reference);
  if (unknown === undefined) return;
  const at = placeOf(meaning, use, reference);
  const { code, message, isWarning } = unknown;
  const finding = { code, message: `${titleOf(use)} references ${message}`, at, path: use.path };
  if (isWarning) meaning.report.warn(finding);
  else meaning.report.error(finding);
}

const mapMethods: readonly string[] = ['items', 'keys', 'values', 'get'];
const unitWords: readonly string[] = ['output', 'outputs', 'errors'];

function whatIsUnknown(meaning: Meaning, use: TextUse, reference: Reference): Unknown | undefined {
  const { names } = meaning;
  const { root, path, guarded } = reference;
  const scope = scopeOfUse(use, meaning.document);
  if (scope.includes(root) && root !== 'workflow') return undefined;
  if (root === 'workflow') return unknownInput(names.inputs, path);
  const isUnitWord = unitWords.includes(path[0] ?? '');
  if (names.has(root)) return unknownField(meaning, reference);
  if (isUnitWord) {
    return { code: 'UNKNOWN_REFERENCE', message: `unknown agent '${root}'${suggestion(root, names.all)}` };
  }
  // The plain language has names of its own for fields of the output.
  if (guarded || (use.kind === 'condition' && !use.text.includes('{{'))) return undefined;
  const close = names.inputs.includes(root)
    ? ` (did you mean "workflow.input.${root}"?)`
    : suggestion(root, [...scope, ...names.all]);
  return { code: 'UNKNOWN_NAME', message: `'${root}', which is not defined here${close}`, isWarning: true };
}

function unknownInput(inputs: readonly string[], path: readonly string[]): Unknown | undefined {
  const [word, input] = path;
  if (word !== 'input' || input === undefined || inputs.length === 0) return undefined;
  if (inputs.includes(input) || mapMethods.includes(input)) return undefined;
  return { code: 'UNKNOWN_INPUT', message: `unknown workflow input '${input}'${suggestion(input, inputs)}` };
}

function unknownField(meaning: Meaning, { root, path, guarded }: Reference): Unknown | undefined {
  const unit = meaning.graph.units.get(root);
  const [word, field] = path;
  if (unit === undefined || guarded) return undefined;
  if (unit.type !== 'step') {
    if (word !== 'output') return undefined;
    return {
      code: 'UNKNOWN_REFERENCE',
      message: `'${root}.output', but a group has outputs and errors`,
      isWarning: true,
    };
  }
  if (word !== 'output' || field === undefined || mapMethods.includes(field)) return undefined;
  const fields = meaning.steps.of(unit.step).analysis.outputFields(unit.step);
  if (fields === undefined || fields.includes(field)) return undefined;
  const message = `'${root}.output.${field}', which '${root}' does not declare${suggestion(field, fields)}`;
  return { code: 'UNKNOWN_FIELD', message, isWarning: true };
}
