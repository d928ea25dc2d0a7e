/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  readonly status: 'good' | 'note' | 'bad';
  readonly found: string;
  /** The remedy. */
  readonly todo?: string;
}
