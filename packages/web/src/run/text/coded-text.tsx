import { Fragment, type ReactNode } from 'react';
import { shownText } from './shown-text.js';

/** A sentence in which a condition or command stands between backticks, with that part as code. */
export function CodedText({ text }: { readonly text: string }): ReactNode {
  const parts = shownText(text).split('`');
  // A backtick without its other half is a character like any other.
  if (parts.length % 2 === 0) return shownText(text);
  return parts.map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
