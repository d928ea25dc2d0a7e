import type { ModelFailureKind } from '../../run/ending/model-failure-kinds.js';

/** The kinds that no run of any framework can rule out. */
export type UsualForeignKind =
  | 'abandoned'
  | 'agent_refused'
  | 'cancelled'
  | 'failed'
  | 'natural_end'
  | 'no_answer'
  | 'output_truncated'
  | ModelFailureKind;
