import type { ReactNode } from 'react';
import { shellWord } from '../../../cli/src/terminal/shell-word.js';
import { TextField } from '../design/field.js';
import { Notice } from '../design/notice.js';

/** Inputs as they were read from a form, or what is wrong with them. */
export type ReadInputs =
  | { readonly inputs: Readonly<Record<string, unknown>> | undefined }
  | { readonly problem: string };

/** Reads other inputs: nothing, or a JSON object. */
export function readInputs(text: string): ReadInputs {
  if (text.trim() === '') return { inputs: undefined };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { inputs: value as Readonly<Record<string, unknown>> };
    return { problem: 'The inputs have to be a JSON object, such as {"ticket": "4711"}.' };
  } catch (error) {
    return { problem: `The inputs are no JSON: ${(error as Error).message}` };
  }
}

/** The inputs as options of the command line. */
export function inputWords(inputs: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(inputs ?? {})
    .map(([name, value]) => ` -i ${shellWord(`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)}`)
    .join('');
}

interface InputsFieldProperties {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly read: ReadInputs;
}

/** A field for inputs that are to be other ones. */
export function InputsField({ text, onChange, read }: InputsFieldProperties): ReactNode {
  return (
    <>
      <TextField
        label="Other inputs"
        hint="A JSON object; inputs that it does not name stay as they were."
        placeholder='{ "ticket": "4711" }'
        value={text}
        onChange={onChange}
        lines={3}
        code
      />
      {'problem' in read && <Notice tone="stopped">{read.problem}</Notice>}
    </>
  );
}
