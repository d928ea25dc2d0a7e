import { type ReactNode, useEffect, useState } from 'react';
import { Icon } from './icon.js';

/** Copies a command, and says that it did. */
export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const label = state === 'refused' ? 'The browser refused to copy' : `Copy: ${text}`;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={state === 'copied' ? 'Copied' : label}
      title={state === 'copied' ? 'Copied' : label}
      onClick={() => {
        copy(text).then(
          () => setState('copied'),
          () => setState('refused'),
        );
      }}
    >
      <Icon name={state === 'copied' ? 'done' : 'copy'} size={14} />
    </button>
  );
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/** A command as it is typed, with a button that copies it. */
export function CopyCommand({ command }: { readonly command: string }): ReactNode {
  return (
    <div className="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long command scrolls, also by keyboard. */}
      <code tabIndex={0}>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}
