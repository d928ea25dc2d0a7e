import type { ReactNode } from 'react';
import type { Look } from '../api/contract.js';

const paths = {
  success: 'M3.5 8.5l3 3 6-6.5',
  failed: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  stopped: 'M8 2.2l5.8 5.8L8 13.8 2.2 8z',
  waiting: 'M5.75 4v8M10.25 4v8',
  running: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  cancelled: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM4.2 4.2l7.6 7.6',
  unknown: 'M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 12.2v.1',
  copy: 'M6 6V3.5h6.5V10H10M3.5 6H10v6.5H3.5z',
  done: 'M3.5 8.5l3 3 6-6.5',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2l3.3 3.3',
  close: 'M4 4l8 8M12 4l-8 8',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.4',
  chevron: 'M6 4l4 4-4 4',
  warning: 'M8 2.8l6 10.4H2zM8 6.5v3M8 11.3v.1',
} as const;

export type IconName = keyof typeof paths;

/** A drawing beside a word; never alone, so it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The sign of a tone, so that colour is never the only one. */
export function ToneIcon({ tone, size = 14 }: { readonly tone: Look['tone']; readonly size?: number }): ReactNode {
  return <Icon name={tone} size={size} />;
}
