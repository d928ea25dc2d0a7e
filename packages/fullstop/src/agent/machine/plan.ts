import type { AgentState, Call } from './state.js';

/** The work that the performer is asked to do. It reads the state and changes nothing. */
export type AgentPlan =
  | { readonly type: 'model' | 'compact' | 'judge'; readonly state: AgentState }
  | { readonly type: 'check' | 'receive' | 'tool'; readonly call: Call; readonly state: AgentState }
  | { readonly type: 'unit'; readonly call: Call; readonly state: AgentState; readonly timeMs: number | undefined };
