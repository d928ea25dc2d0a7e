import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Icon } from './icon.js';

interface DialogProperties {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The buttons below. */
  readonly foot: ReactNode;
  readonly onSubmit?: () => void;
}

/** A dialog over the page: the browser keeps the focus inside, closes it with Escape and puts the focus back. */
export function Dialog({ title, onClose, children, foot, onSubmit }: DialogProperties): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const { current } = element;
    if (current !== null && !current.open) current.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={element} className="dialog" aria-labelledby={heading} onCancel={onClose} onClose={onClose}>
      <form
        className="dialog-frame"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <header className="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div className="dialog-body">{children}</div>
        <footer className="dialog-foot">{foot}</footer>
      </form>
    </dialog>
  );
}
