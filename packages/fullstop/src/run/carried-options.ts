import type { AnyTerminationDefinition } from '../termination/define-termination.js';
import type { BodyResult } from './run-context.js';
import type { DefineRunOptions, RunOptions } from './run-options.js';

type CarriedName = 'customTags' | 'graceMs' | 'onEnding' | 'secrets' | 'treatAsSuccess' | 'version';

/** Options that definitions of every kind accept for their run and pass on unchanged. */
export interface CarriedOptions
  extends Pick<DefineRunOptions<never, BodyResult, readonly AnyTerminationDefinition[]>, CarriedName> {}

const carried: readonly CarriedName[] = ['customTags', 'graceMs', 'onEnding', 'secrets', 'treatAsSuccess', 'version'];

/** The options of a start: a row for each, so that a new one cannot be forgotten here. */
export const ofRuns: Readonly<Record<keyof RunOptions, true>> = {
  alwaysReplay: true,
  clock: true,
  engine: true,
  onEntry: true,
  onPause: true,
  onStart: true,
  runId: true,
  signal: true,
};

/** The options that are handed on. Absent stays absent: undefined is not the same as left out. */
export function carriedOptions(options: CarriedOptions): CarriedOptions {
  const given = carried.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, options[name]]));
}

/** Parts the options of a definition that is run at once into those of its run and the rest. */
export function partRunOptions<TOptions extends RunOptions>(
  options: TOptions,
): { readonly run: RunOptions; readonly rest: Omit<TOptions, keyof RunOptions> } {
  // Whatever else was given is for the definition to refuse.
  const entries = Object.entries(options ?? {});
  const run = entries.filter(([name, value]) => Object.hasOwn(ofRuns, name) && value !== undefined);
  const rest = entries.filter(([name]) => !Object.hasOwn(ofRuns, name));
  return { run: Object.fromEntries(run), rest: Object.fromEntries(rest) as Omit<TOptions, keyof RunOptions> };
}
