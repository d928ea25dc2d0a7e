import type { RunBody } from '../run-data.js';

/** A run, and where in it the reader is. */
export interface TabProperties {
  readonly body: RunBody;
  readonly at: number | undefined;
  readonly onMoment: (seq: number) => void;
  readonly onUnit: (path: string) => void;
}
