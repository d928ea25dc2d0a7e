import type { ReactNode } from 'react';
import { TextField } from '../design/field.js';
import { type ResumeFieldName, type ResumeForm, resumeFields } from './resume-fields.js';

interface ResumeFormProperties {
  readonly form: ResumeForm;
  readonly onChange: (form: ResumeForm) => void;
  /** The fields that are shown at once; the others are behind "Other changes". */
  readonly first: readonly ResumeFieldName[];
  readonly asks?: readonly string[];
}

/** The changes of a resume, those that are suggested first. */
export function ResumeFormFields({ form, onChange, first, asks = [] }: ResumeFormProperties): ReactNode {
  const shown = (field: (typeof resumeFields)[number]): ReactNode => {
    const { name, label, kind, hint } = field;
    const value = form[name] ?? (kind === 'flag' ? false : '');
    const change = (next: string | boolean): void => onChange({ ...form, [name]: next });
    if (typeof value === 'boolean')
      return (
        <label key={name} className="check">
          <input type="checkbox" checked={value} onChange={({ target }) => change(target.checked)} />
          {label}
        </label>
      );
    return (
      <TextField
        key={name}
        label={label}
        hint={hint}
        value={value}
        onChange={change}
        required={asks.includes(name)}
        lines={linesOf(kind)}
        mode={modeOf(kind)}
      />
    );
  };
  const others = resumeFields.filter(({ name }) => !first.includes(name));
  return (
    <>
      {resumeFields.filter(({ name }) => first.includes(name)).map(shown)}
      <details className="more">
        <summary>Other changes</summary>
        <div className="more-fields">{others.map(shown)}</div>
      </details>
    </>
  );
}

function linesOf(kind: (typeof resumeFields)[number]['kind']): number {
  if (kind === 'long') return 3;
  return kind === 'list' ? 2 : 1;
}

function modeOf(kind: (typeof resumeFields)[number]['kind']): 'text' | 'numeric' | 'decimal' {
  if (kind === 'whole') return 'numeric';
  return kind === 'dollars' ? 'decimal' : 'text';
}
