/** The kinds that a workflow can end with, whatever its file says. */
export const workflowKinds: readonly string[] = [
  'flow_completed',
  'terminated',
  'max_iterations',
  'time_budget',
  'cost_budget',
  'token_budget',
  'gate_pending',
  'interaction_pending',
  'gate_expired',
  'cancelled',
  'abandoned',
  'failed',
  'child_failed',
  'no_route',
];
