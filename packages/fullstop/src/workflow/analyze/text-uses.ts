import type { ForEachGroup, Step, WorkflowDocument } from '../schema/document.js';
import type { Field, Fields } from '../schema/field.js';
import { recordTables } from '../schema/record-tables.js';
import { root } from '../schema/workflow-records.js';
import type { DocumentPath } from '../source/problem.js';

/** A text of the document that is rendered or evaluated in a run. */
export interface TextUse {
  readonly kind: 'template' | 'condition';
  readonly text: string;
  readonly path: DocumentPath;
  /** The step that has it. */
  readonly step?: Step;
  /** Whether it sees everything, whatever its step sees. */
  readonly seesEverything: boolean;
  /** The for_each group whose step has it. */
  readonly forEach?: ForEachGroup;
  /** The file that the text comes from, if it is a prompt of its own file. */
  readonly file?: string;
}

/** Every template and condition of a document, found by the types in the schema. */
export function textUses(document: WorkflowDocument, stepFields: Fields): readonly TextUse[] {
  const found: TextUse[] = [];
  walkFields(root, document, { path: [], found, stepFields, seesEverything: false });
  return found;
}

interface Walk {
  /** Every key that a step may have. */
  readonly stepFields: Fields;
  readonly seesEverything: boolean;
  readonly path: DocumentPath;
  readonly found: TextUse[];
  readonly step?: Step;
  readonly forEach?: ForEachGroup;
}

function walkFields(fields: Fields, record: object, walk: Walk): void {
  for (const [key, value] of Object.entries(record)) {
    const field = fields[key];
    const seesEverything = walk.seesEverything || field?.sees_everything === true;
    if (field !== undefined) walkValue(field, value, { ...walk, path: [...walk.path, key], seesEverything });
  }
}

function walkValue(field: Field, value: unknown, walk: Walk): void {
  if (typeof value === 'string') {
    if (isRendered(field)) walk.found.push(useOf(field.type === 'condition' ? 'condition' : 'template', value, walk));
    return;
  }
  if (field.type === 'list') walkMembers(field.of, (value as readonly unknown[]).entries(), walk);
  else if (field.type === 'map') walkMembers(field.of, (value as ReadonlyMap<string, unknown>).entries(), walk);
  else if (field.type === 'step') walkFields(walk.stepFields, value as Step, { ...walk, step: value as Step });
  else if (field.type === 'record') {
    const group = field.of === 'ForEachGroup' ? { forEach: value as ForEachGroup } : {};
    walkFields(recordTables[field.of].fields, value as object, { ...walk, ...group });
  }
}

function walkMembers(field: Field, members: Iterable<readonly [string | number, unknown]>, walk: Walk): void {
  for (const [key, member] of members) walkValue(field, member, { ...walk, path: [...walk.path, key] });
}

function isRendered(field: Field): boolean {
  return field.type === 'template' || field.type === 'condition' || field.type === 'duration' || isOpenChoice(field);
}

function isOpenChoice(field: Field): boolean {
  return field.type === 'choice' && field.or_template === true;
}

function useOf(kind: TextUse['kind'], text: string, walk: Walk): TextUse {
  const { path, step, forEach, seesEverything } = walk;
  const key = path.at(-1);
  const file = step !== undefined && (key === 'prompt' || key === 'system_prompt') ? fileOf(step, key) : undefined;
  return {
    kind,
    text,
    path,
    seesEverything,
    ...(step === undefined ? {} : { step }),
    ...(forEach === undefined ? {} : { forEach }),
    ...(file === undefined ? {} : { file }),
  };
}

function fileOf(step: Step, key: 'prompt' | 'system_prompt'): string | undefined {
  if (key === 'prompt') return 'prompt_file' in step ? step.prompt_file : undefined;
  return 'system_prompt_file' in step ? step.system_prompt_file : undefined;
}
