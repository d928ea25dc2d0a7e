import type { ResumeBody } from '../api/contract.js';
import type { Suggested } from './opened-action.js';

export type ResumeFieldName = Exclude<keyof ResumeBody, 'by'>;

interface ResumeField {
  readonly name: ResumeFieldName;
  readonly label: string;
  readonly kind: 'whole' | 'dollars' | 'text' | 'long' | 'list' | 'flag';
  readonly hint?: string;
}

/** Everything that a resume may change, in the order of the form. */
export const resumeFields: readonly ResumeField[] = [
  { name: 'maxIterations', label: 'Iterations', kind: 'whole', hint: 'In total, those that are done included.' },
  { name: 'maxToolCalls', label: 'Tool calls', kind: 'whole', hint: 'In total.' },
  { name: 'tokens', label: 'Tokens', kind: 'whole', hint: 'In total.' },
  { name: 'cost', label: 'Cost in dollars', kind: 'dollars', hint: 'In total.' },
  { name: 'timeout', label: 'Active time', kind: 'text', hint: 'In total, such as 90s, 10m or 2h.' },
  { name: 'maxCycles', label: 'Cycles', kind: 'whole', hint: 'In total.' },
  { name: 'maxFacts', label: 'Facts', kind: 'whole', hint: 'In total.' },
  { name: 'steps', label: 'Steps', kind: 'whole', hint: 'In total.' },
  { name: 'maxOutputTokens', label: 'Tokens of one answer', kind: 'whole' },
  { name: 'repair', label: 'Corrections of the output', kind: 'whole', hint: 'In total.' },
  { name: 'guidance', label: 'Guidance for the model', kind: 'long' },
  { name: 'provider', label: 'Provider', kind: 'text' },
  { name: 'model', label: 'Model', kind: 'text' },
  { name: 'deadline', label: 'Deadlines', kind: 'list', hint: 'Such as review=1d, one per line.' },
  { name: 'settled', label: 'Settled', kind: 'list', hint: 'What was settled outside, one per line.' },
  { name: 'without', label: 'Conditions to drop', kind: 'list', hint: 'Names, one per line.' },
  { name: 'at', label: 'For the unit at', kind: 'text', hint: 'A path; the unit that ended unless given.' },
  { name: 'note', label: 'Note for the journal', kind: 'text' },
  { name: 'useCurrent', label: 'Continue with the file as it is now', kind: 'flag' },
  { name: 'skipGates', label: 'Take the first option of every gate', kind: 'flag' },
];

/** The contents of the form: texts as they were typed. */
export type ResumeForm = Readonly<Partial<Record<ResumeFieldName, string | boolean>>>;

/** The form with what is suggested filled in; what a person has to say first is left empty. */
export function suggestedForm(values: Suggested, asks: readonly string[] = []): ResumeForm {
  const form: Partial<Record<ResumeFieldName, string | boolean>> = {};
  for (const { name } of resumeFields) {
    const value = values[name];
    if (value !== undefined) form[name] = asks.includes(name) ? '' : typedValue(value);
  }
  return form;
}

function typedValue(value: Suggested[string]): string | boolean {
  if (typeof value === 'boolean') return value;
  return typeof value === 'object' ? value.join('\n') : String(value);
}

/** A form as the body of a request, or the first thing that is wrong with it. */
export type ReadResume = { readonly body: ResumeBody } | { readonly problem: string };

export function readResumeForm(form: ResumeForm): ReadResume {
  const body: Record<string, unknown> = {};
  for (const field of resumeFields) {
    const typed = form[field.name];
    if (typed === undefined || typed === '' || typed === false) continue;
    const value = typed === true ? true : readTyped(field, typed);
    if (value === undefined) {
      const number = field.kind === 'whole' ? 'whole number' : 'number';
      return { problem: `${field.label}: a ${number} above 0 is needed, not ${JSON.stringify(typed)}.` };
    }
    body[field.name] = value;
  }
  return { body };
}

/** The value of a text; undefined where it is not the number that is needed. */
function readTyped({ kind }: ResumeField, typed: string): number | string | readonly string[] | undefined {
  switch (kind) {
    case 'whole':
      return Number.isSafeInteger(Number(typed)) && Number(typed) > 0 ? Number(typed) : undefined;
    case 'dollars':
      return Number.isFinite(Number(typed)) && Number(typed) > 0 ? Number(typed) : undefined;
    case 'list':
      return linesOf(typed);
    case 'text':
    case 'long':
    case 'flag':
      return typed;
    default:
      return kind satisfies never;
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
