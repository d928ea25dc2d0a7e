/** A use of a name from the scope, for static checks. */
export interface Reference {
  /** The name as written; in plain conditions a flattened one such as `step_output`. */
  readonly root: string;
  /** The constant attributes and subscripts after it. */
  readonly path: readonly string[];
  /** Whether it may be missing: guarded by `default()` or `is defined`, or evaluated only on a condition. */
  readonly guarded: boolean;
  readonly line: number;
  readonly column: number;
}
