import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { Toasts, useToasts } from '../design/toasts.js';
import { AnswerDialog } from './answer-dialog.js';
import { BulkDialog } from './bulk-dialog.js';
import { CancelDialog } from './cancel-dialog.js';
import { ForkDialog } from './fork-dialog.js';
import type { DialogEnds, OpenedAction } from './opened-action.js';
import { ResumeDialog } from './resume-dialog.js';
import { RetryDialog } from './retry-dialog.js';

interface Actions {
  readonly open: (action: OpenedAction) => void;
  /** Says what became of an action. */
  readonly tell: (message: string, runId?: string) => void;
}

const ActionsContext = createContext<Actions>({ open: () => undefined, tell: () => undefined });

/** Shows the dialog of whichever action was opened, and what became of it. */
export function ActionHost({ children }: { readonly children: ReactNode }): ReactNode {
  const [opened, setOpened] = useState<OpenedAction | undefined>();
  const { toasts, tell, dismiss } = useToasts();
  const close = useCallback(() => setOpened(undefined), []);
  const actions = useMemo<Actions>(() => ({ open: setOpened, tell }), [tell]);
  const done = useCallback(
    (message: string, runId?: string) => {
      setOpened(undefined);
      tell(message, runId);
    },
    [tell],
  );
  return (
    <ActionsContext value={actions}>
      {children}
      {opened !== undefined && <DialogOf opened={opened} onClose={close} onDone={done} />}
      <Toasts toasts={toasts} dismiss={dismiss} />
    </ActionsContext>
  );
}

export function useActions(): Actions {
  return useContext(ActionsContext);
}

function DialogOf({ opened, ...ends }: DialogEnds & { readonly opened: OpenedAction }): ReactNode {
  switch (opened.type) {
    case 'answer':
      return <AnswerDialog {...opened} {...ends} />;
    case 'resume':
      return <ResumeDialog {...opened} {...ends} />;
    case 'retry':
      return <RetryDialog {...opened} {...ends} />;
    case 'cancel':
      return <CancelDialog {...opened} {...ends} />;
    case 'fork':
      return <ForkDialog {...opened} {...ends} />;
    case 'bulk':
      return <BulkDialog {...opened} {...ends} />;
    default:
      return opened satisfies never;
  }
}
