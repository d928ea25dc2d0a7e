import type { ReactNode } from 'react';

interface FieldProperties {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}

/** A control with its name above it. */
export function Field({ label, hint, children }: FieldProperties): ReactNode {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is its child.
    <label className="field">
      <span className="field-label">{label}</span>
      {children}
      {hint !== undefined && <span className="field-hint">{hint}</span>}
    </label>
  );
}

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

/** A line of text, or several. */
export function TextField(properties: TextFieldProperties): ReactNode {
  const { label, value, onChange, hint, placeholder, required = false, lines = 1, code = false, mode } = properties;
  const shared = {
    className: `input${code ? ' input-code' : ''}`,
    value,
    required,
    placeholder,
    spellCheck: !code,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  return (
    <Field label={label} hint={hint}>
      {lines > 1 ? <textarea {...shared} rows={lines} /> : <input {...shared} type="text" inputMode={mode} />}
    </Field>
  );
}
