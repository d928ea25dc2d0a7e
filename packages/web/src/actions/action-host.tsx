import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { RunRow, SuggestedAction } from '../api/contract.js';

/** An action on a run that someone is about to take. */
export interface OpenedAction {
  readonly row: Pick<RunRow, 'runId' | 'name' | 'segment'>;
  readonly action: Pick<SuggestedAction, 'type' | 'requestId' | 'values' | 'asks'>;
}

interface Actions {
  readonly open: (action: OpenedAction) => void;
}

const ActionsContext = createContext<Actions>({ open: () => undefined });

/** Shows the dialog of whichever action was opened. */
export function ActionHost({ children }: { readonly children: ReactNode }): ReactNode {
  const [, setOpened] = useState<OpenedAction | undefined>();
  const actions = useMemo<Actions>(() => ({ open: setOpened }), []);
  return <ActionsContext value={actions}>{children}</ActionsContext>;
}

export function useActions(): Actions {
  return useContext(ActionsContext);
}
