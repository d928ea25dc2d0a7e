import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import type { ResumeBody } from '../api/contract.js';
import { Toasts, useToasts } from '../design/toasts.js';
import { AnswerDialog } from './answer-dialog.js';
import { BulkDialog } from './bulk-dialog.js';
import { CancelDialog } from './cancel-dialog.js';
import { ForkDialog } from './fork-dialog.js';
import { ResumeDialog } from './resume-dialog.js';
import { RetryDialog } from './retry-dialog.js';

/** The run that an action is about, as far as its dialog has to name it. */
export interface Subject {
  readonly runId: string;
  readonly name: string;
  /** Why it is where it is. */
  readonly sentence?: string;
}

/** Suggested values of an action, by their names in its body. */
export type Suggested = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** An action that someone is about to take. */
export type OpenedAction =
  | { readonly type: 'answer'; readonly subject: Subject; readonly requestId?: string | undefined }
  | {
      readonly type: 'resume';
      readonly subject: Subject;
      readonly values: Suggested;
      readonly asks: readonly string[];
    }
  | { readonly type: 'retry'; readonly subject: Subject }
  | { readonly type: 'cancel'; readonly subject: Subject }
  | { readonly type: 'fork'; readonly subject: Subject; readonly at: number }
  | {
      readonly type: 'bulk';
      readonly action: 'resume' | 'retry' | 'cancel';
      readonly title: string;
      readonly runIds: readonly string[];
      /** How many there are in all, where not every one is listed. */
      readonly count: number;
      readonly changes: ResumeBody;
    };

/** What every dialog needs: a way out, and a place to say what became of it. */
export interface DialogEnds {
  readonly onClose: () => void;
  readonly onDone: (message: string, runId?: string) => void;
}

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
