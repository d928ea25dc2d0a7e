import type { ReactNode } from 'react';
import { TextField } from '../design/field.js';
import type { FormInput } from './start-inputs.js';

interface InputFieldProperties {
  readonly input: FormInput;
  readonly value: string | boolean;
  readonly onChange: (value: string | boolean) => void;
}

/** One input of a workflow, as its type is written. */
export function InputField({ input, value, onChange }: InputFieldProperties): ReactNode {
  const { name, type, required, description } = input;
  if (typeof value === 'boolean')
    return (
      <label className="check">
        <input type="checkbox" checked={value} onChange={({ target }) => onChange(target.checked)} />
        {name}
        {description !== undefined && <span className="faint">{description}</span>}
      </label>
    );
  const isJson = type === 'array' || type === 'object';
  return (
    <TextField
      label={`${name} · ${type}${required ? ', required' : ''}`}
      hint={description}
      value={value}
      onChange={onChange}
      lines={isJson ? 3 : 1}
      code={isJson}
      mode={type === 'number' ? 'decimal' : 'text'}
    />
  );
}
