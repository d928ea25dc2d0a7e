import type { Ending } from './ending.js';
import type { Custom } from './kinds/extension.js';
import type { TerminationRegistry } from './registry.js';

/** How many custom tags a run may declare, so that a dashboard's label stays bounded. */
export const mostCustomTags = 50;

/** Options of `tagOf`. */
export interface TagOptions {
  /** The tags that `custom` endings of this run may use; at most 50 count. */
  readonly customTags?: readonly string[];
  /** Knows the tags of third-party kinds; without it their kind is used. */
  readonly registry?: TerminationRegistry;
}

/** The low-cardinality word for metrics and spans: the kind, a declared custom tag, or a third party's own. */
export function tagOf<TEnding extends Ending>(termination: TEnding, options: TagOptions = {}): string {
  if (termination.kind !== 'custom') return options.registry?.find(termination.kind)?.tag ?? termination.kind;
  const { tag } = termination as Ending as Custom;
  const declared = options.customTags?.slice(0, mostCustomTags) ?? [];
  return tag !== undefined && declared.includes(tag) ? tag : 'custom';
}
