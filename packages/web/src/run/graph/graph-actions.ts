import { createContext, useContext } from 'react';

/** The actions on the nodes of a graph. */
export interface GraphActions {
  readonly select: (id: string) => void;
  readonly toggle: (id: string) => void;
  /** Draws the inside of a node alone. */
  readonly enter: (id: string) => void;
}

const GraphActionsContext = createContext<GraphActions>({
  select: () => undefined,
  toggle: () => undefined,
  enter: () => undefined,
});

export const GraphActionsProvider = GraphActionsContext;

export function useGraphActions(): GraphActions {
  return useContext(GraphActionsContext);
}
