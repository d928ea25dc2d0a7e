/** Limits that a resume raises. */
export interface LimitChanges {
  readonly maxIterations?: number;
  readonly maxToolCalls?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly timeoutMs?: number;
}
