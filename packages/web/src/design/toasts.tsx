import { type ReactNode, useCallback, useRef, useState } from 'react';
import { Link } from '../app/link.js';
import { runAddress } from '../app/route.js';
import { Icon } from './icon.js';

export interface Toast {
  readonly id: number;
  readonly message: string;
  readonly runId?: string | undefined;
}

interface ToastState {
  readonly toasts: readonly Toast[];
  readonly tell: (message: string, runId?: string) => void;
  readonly dismiss: (id: number) => void;
}

const shownFor = 12_000;

/** Short messages about what someone did. */
export function useToasts(): ToastState {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const dismiss = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const tell = useCallback(
    (message: string, runId?: string) => {
      last.current += 1;
      const id = last.current;
      setToasts((before) => [...before.slice(-3), { id, message, runId }]);
      setTimeout(() => dismiss(id), shownFor);
    },
    [dismiss],
  );
  return { toasts, tell, dismiss };
}

export function Toasts({ toasts, dismiss }: Pick<ToastState, 'toasts' | 'dismiss'>): ReactNode {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, message, runId }) => (
        <div key={id} className="toast">
          <span className="wrap-anywhere">{message}</span>
          {runId !== undefined && <Link to={runAddress(runId)}>Show it</Link>}
          <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
