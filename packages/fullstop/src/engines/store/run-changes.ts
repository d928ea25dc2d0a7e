/** Which runs got entries, up to a place in the order of all entries. */
export interface RunChanges {
  /** The place, to ask from the next time. */
  readonly at: number;
  readonly runIds: readonly string[];
  /** False where more changed than is listed, or that cannot be told because runs were removed. */
  readonly complete: boolean;
}
