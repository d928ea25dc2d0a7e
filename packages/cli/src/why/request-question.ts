import type { OpenRequest } from 'fullstop';
import { isObject } from '../journal/is-object.js';
import { callText } from '../journal/value-text.js';
import type { ExplainedRequest } from './explanation.js';

/** The choices: values, and labels for choices that are not answers, such as skipping a question. */
export function choicesOf({ options = [] }: Pick<OpenRequest, 'options'>): readonly string[] {
  return options.map(({ value, label }) => (isEvasion(value) ? (label ?? value) : value));
}

/** The choices that are answers. */
export function answersOf({ options = [] }: Pick<OpenRequest, 'options'>): readonly string[] {
  return options.map(({ value }) => value).filter((value) => !isEvasion(value));
}

/** Questions of workflows have words such as `__skip__` for choices that are not answers. */
export function isEvasion(value: string): boolean {
  return /^__\w+__$/.test(value);
}

/** Such a word as people read it, which is what the choice is called: `Skip all` for `__skip_all__`. */
export function evasionText(word: string): string {
  const text = word.slice(2, -2).replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A text field that a choice asks for in addition. */
export interface FieldBeside {
  readonly name: string;
  readonly severalLines: boolean;
}

/** The text field that a choice of a workflow's gate asks for in addition. */
export function fieldBeside(
  { type, input }: Pick<OpenRequest, 'type' | 'input'>,
  choice: string,
): FieldBeside | undefined {
  const asked = type === 'gate' && isObject(input) ? input['additional_input'] : undefined;
  const field = isObject(asked) && Object.hasOwn(asked, choice) ? asked[choice] : undefined;
  if (!isObject(field) || typeof field['name'] !== 'string') return undefined;
  return { name: field['name'], severalLines: field['multiline'] === true };
}

/** True when the answer to a question of a workflow may have several lines. */
export function hasSeveralLines({ type, input }: Pick<OpenRequest, 'type' | 'input'>): boolean {
  return type === 'input' && isObject(input) && input['multiline'] === true;
}

/** True when only a text can be the answer. */
export function isTextSchema(schema: OpenRequest['schema']): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema['type'] === 'string';
}

/** The question of a request, in words. */
export function questionOf({ summary, tool, input, type, id }: OpenRequest): string {
  if (summary !== undefined && summary !== '')
    return tool === undefined || input === undefined ? summary : `${summary} ${callText(tool, input)}`;
  if (tool === undefined) return id;
  if (type === 'confirm_outcome') return `Did ${callText(tool, input)} happen? Its outcome was lost.`;
  return `May it call ${callText(tool, input)}?`;
}

export function explainRequest(request: OpenRequest): ExplainedRequest {
  const { id, path, type, openedAt, deadline } = request;
  return {
    id,
    path,
    type,
    question: questionOf(request),
    openedAt,
    ...(deadline !== undefined && { deadline }),
    choices: choicesOf(request),
  };
}
