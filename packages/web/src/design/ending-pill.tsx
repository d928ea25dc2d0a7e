import type { ReactNode } from 'react';
import type { Look } from '../api/contract.js';
import { ToneIcon } from './icon.js';

/** How something ended or where it is: colour, sign and word. */
export function EndingPill({ look }: { readonly look: Look }): ReactNode {
  return (
    <span className={`pill tone-${look.tone}`}>
      <ToneIcon tone={look.tone} />
      <span>{look.word}</span>
    </span>
  );
}
