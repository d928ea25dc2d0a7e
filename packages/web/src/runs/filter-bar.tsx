import { type ReactNode, useEffect, useRef, useState } from 'react';
import { navigate } from '../app/location.js';
import { Icon } from '../design/icon.js';
import { filterAddress, type RunFilters } from './run-filters.js';

interface FilterBarProperties {
  readonly path: string;
  readonly filters: RunFilters;
  /** The names of runs to choose from, as far as they are known. */
  readonly names: readonly string[];
}

const categories = ['success', 'paused', 'capacity', 'retryable', 'fatal', 'cancelled'] as const;
const states = ['running', 'ready', 'parked', 'ended'] as const;
const spans = [
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
] as const;

/** Narrows the list; the address says how, so that it can be sent to someone. */
export function FilterBar({ path, filters, names }: FilterBarProperties): ReactNode {
  const change = (changes: RunFilters, replace = false): void =>
    navigate(filterAddress(path, { ...filters, ...changes }), { replace });
  const narrowed = Object.entries(filters).filter(
    ([name]) => name === 'kind' || name === 'conversation' || name === 'parent',
  );
  return (
    <search className="filter-bar">
      <SearchField value={filters.q ?? ''} onChange={(q) => change({ q }, true)} />
      <Choice label="Ending" value={filters.category} onChange={(category) => change({ category })} any="Any ending">
        {categories.map((category) => (
          <option key={category}>{category}</option>
        ))}
      </Choice>
      <Choice label="State" value={filters.state} onChange={(state) => change({ state })} any="Any state">
        {states.map((state) => (
          <option key={state}>{state}</option>
        ))}
      </Choice>
      <Choice label="Name" value={filters.name} onChange={(name) => change({ name })} any="Any name">
        {withChosen(names, filters.name).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Choice>
      <Choice label="Started" value={filters.since} onChange={(since) => change({ since })} any="Any time">
        {spans.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Choice>
      <label className="check">
        <input
          type="checkbox"
          checked={filters.children === 'true'}
          onChange={({ target }) => change({ children: target.checked ? 'true' : '' })}
        />
        Child runs
      </label>
      {narrowed.map(([name, value]) => (
        <button key={name} type="button" className="tag tag-button" onClick={() => change({ [name]: '' })}>
          {name}: <code>{value}</code>
          <Icon name="close" size={12} />
          <span className="visually-hidden">Remove this filter</span>
        </button>
      ))}
    </search>
  );
}

function withChosen(names: readonly string[], chosen: string | undefined): readonly string[] {
  return chosen === undefined || names.includes(chosen) ? names : [chosen, ...names];
}

interface ChoiceProperties {
  readonly label: string;
  readonly value: string | undefined;
  readonly any: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

function Choice({ label, value = '', any, onChange, children }: ChoiceProperties): ReactNode {
  return (
    <select
      className={`input filter-choice${value === '' ? '' : ' filter-chosen'}`}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{any}</option>
      {children}
    </select>
  );
}

const typingPause = 250;

/** Searches while someone types, a moment after each letter; `/` leads here. */
function SearchField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), typingPause);
    return () => clearTimeout(timer);
  }, [typed, value]);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      const inField = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || inField || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return (
    <span className="search-field">
      <Icon name="search" size={14} />
      <input
        ref={field}
        className="input"
        type="search"
        aria-label="Search in ids, names, kinds and reasons"
        placeholder="Search runs and reasons"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </span>
  );
}
