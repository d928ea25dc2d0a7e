import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react';
import { navigate } from './location.js';

interface LinkProperties extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link inside the dashboard; with a modifier key the browser opens a tab as usual. */
export function Link({ to, children, onClick, ...rest }: LinkProperties): ReactNode {
  const click = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a {...rest} href={to} onClick={click}>
      {children}
    </a>
  );
}
