import { type ReactNode, useState } from 'react';
import type { JsonValue } from '../../../../fullstop/src/termination/json.js';
import { shownText } from './shown-text.js';

const mostShown = 100;
const longestText = 2000;

interface TreeProperties {
  readonly value: JsonValue;
  readonly name?: string;
  /** How many levels are open to begin with. */
  readonly open?: number;
}

/** A JSON value to be opened level by level; only what is open is drawn. */
export function JsonTree({ value, name, open = 2 }: TreeProperties): ReactNode {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} {...(name !== undefined && { name })} />;
  return <Branch value={value} open={open} {...(name !== undefined && { name })} />;
}

function Branch({
  value,
  name,
  open,
}: {
  readonly value: Readonly<Record<string, JsonValue>> | readonly JsonValue[];
  readonly name?: string;
  readonly open: number;
}): ReactNode {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(mostShown);
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const [before, after] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0)
    return (
      <div className="tree-row">
        <Name name={name} />
        <span className="faint">{`${before}${after}`}</span>
      </div>
    );
  return (
    <div className="tree">
      <button type="button" className="tree-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="tree-arrow" aria-hidden="true">
          ▸
        </span>
        <Name name={name} />
        <span className="faint">{isOpen ? before : `${before} ${entries.length} ${after}`}</span>
      </button>
      {isOpen && (
        <div className="tree-inside">
          {entries.slice(0, shown).map(([key, each]) => (
            <JsonTree key={key} name={key} value={each} open={open - 1} />
          ))}
          {entries.length > shown && (
            <button type="button" className="link-button" onClick={() => setShown(shown + mostShown * 5)}>
              {entries.length - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }): ReactNode {
  return name === undefined ? null : <span className="tree-name">{shownText(name)}: </span>;
}

function Leaf({
  value,
  name,
}: {
  readonly value: string | number | boolean | null;
  readonly name?: string;
}): ReactNode {
  const isText = typeof value === 'string';
  const text = isText ? shownText(value.slice(0, longestText)) : String(value);
  const rest = isText && value.length > longestText ? ` … ${value.length - longestText} more characters` : '';
  return (
    <div className="tree-row">
      <Name name={name} />
      <span className={isText ? 'tree-text' : 'tree-value'} dir="auto">
        {text}
      </span>
      {rest !== '' && <span className="faint">{rest}</span>}
    </div>
  );
}
