import { type ReactNode, useId } from 'react';

interface TextFieldProperties {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly required?: boolean;
  /** How many lines are shown; one unless given. */
  readonly lines?: number;
  readonly code?: boolean;
  readonly mode?: 'text' | 'numeric' | 'decimal';
}

/** A line of text, or several, with a name above it and a hint below. */
export function TextField(properties: TextFieldProperties): ReactNode {
  const { label, value, onChange, hint, placeholder, required = false, lines = 1, code = false, mode } = properties;
  const id = useId();
  const shared = {
    id,
    className: `input${code ? ' input-code' : ''}`,
    value,
    required,
    placeholder,
    spellCheck: !code,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {lines > 1 ? <textarea {...shared} rows={lines} /> : <input {...shared} type="text" inputMode={mode} />}
      {hint !== undefined && (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
