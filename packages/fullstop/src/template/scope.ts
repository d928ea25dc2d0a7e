import type { Value } from './value.js';

/** The names that a template or condition may use; values are made when they are asked for. */
export interface Scope {
  /** The value of a root name, or undefined when there is none. */
  lookup(name: string): Value | undefined;
  /** Whether the name belongs to a declared step; `step.output.x | default(…)` then works before the step ran. */
  declares?(name: string): boolean;
}
