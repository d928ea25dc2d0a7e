import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { frozenCopy } from './frozen.js';
import { type LimitChange, mergeLimits, type RunLimits } from './limits.js';
import type { RunOptions } from './run-options.js';
import type { Secrets } from './secrets/secrets.js';
import { launchHere } from './segment/start.js';
import type { RunSettings } from './settings.js';

/** The changes that a resume may make; they are in the entry that opens its segment. */
export interface SegmentChanges {
  readonly limits?: Readonly<Record<string, LimitChange>>;
  readonly deadlines?: Readonly<Record<string, number>>;
  /** The limits of a run that was spawned from here on, instead of what was left when it was started. */
  readonly left?: RunLimits;
}

interface SettingsSource {
  readonly definition: {
    readonly limits?: RunLimits;
    readonly customTags?: readonly string[];
    readonly graceMs?: number;
    readonly alwaysReplay?: boolean;
    readonly treatAsSuccess?: RunSettings['treatAsSuccess'];
    readonly secrets?: Secrets;
  };
  readonly registry: TerminationRegistry;
  readonly runOptions: RunOptions;
  readonly history: readonly JournalEntry[];
  readonly engine: Engine;
}

/** Joins the definition, the options of this call and what earlier resumes have changed. */
export function makeSettings({ definition, registry, runOptions, history, engine }: SettingsSource): RunSettings {
  const changes = history.flatMap((entry) =>
    entry.type === 'segment_opened' ? [(entry.data.options ?? {}) as SegmentChanges] : [],
  );
  return {
    registry,
    customTags: definition.customTags ?? [],
    limitsOf(scope, own = scope === '' ? pickTightest(definition.limits ?? {}, limitsLeft(history)) : {}) {
      return changes.reduce((limits, change) => mergeLimits(limits, change.limits?.[scope] ?? {}), own);
    },
    deadlineOf: (requestId) =>
      changes.findLast((change) => change.deadlines?.[requestId] !== undefined)?.deadlines?.[requestId],
    graceMs: definition.graceMs ?? 5000,
    parkAfterMs: 1000,
    onPause: runOptions.onPause ?? 'end',
    alwaysReplay: runOptions.alwaysReplay ?? definition.alwaysReplay ?? false,
    observers: runOptions.onEntry === undefined ? [] : [maskObserver(runOptions.onEntry, definition.secrets)],
    ...(definition.secrets !== undefined && { secrets: definition.secrets }),
    treatAsSuccess: askAboutCopy(definition.treatAsSuccess),
    launch: (spawned, runId) => {
      if ('execute' in spawned) launchHere(engine, spawned as RunnableDefinition, runId);
    },
    random: Math.random,
  };
}

/** Asks about a copy: the answer decides the outcome, and nothing else. */
function askAboutCopy(treatAsSuccess: RunSettings['treatAsSuccess'] = () => false): RunSettings['treatAsSuccess'] {
  return (termination) => treatAsSuccess(frozenCopy(termination));
}

/** The limits that the run that spawned this one had left when it started or resumed it. */
function limitsLeft(history: readonly JournalEntry[]): RunLimits {
  const [first] = history;
  const atStart = first?.type === 'run_started' ? ((first.data.options as SpawnOptions | undefined)?.limits ?? {}) : {};
  const later = history.flatMap((entry) =>
    entry.type === 'segment_opened' ? [(entry.data.options as SegmentChanges | undefined)?.left ?? {}] : [],
  );
  return Object.assign({}, atStart, ...later) as RunLimits;
}

interface SpawnOptions {
  readonly limits?: RunLimits;
}

function pickTightest(own: RunLimits, given: RunLimits): RunLimits {
  const limits: Record<string, number> = { ...own };
  for (const [name, value] of Object.entries(given)) {
    // Nothing left is next to nothing: a limit is never 0.
    if (typeof value === 'number') limits[name] = Math.min(limits[name] ?? Number.POSITIVE_INFINITY, value || 1e-9);
  }
  return limits;
}

/** Observers are a way out of the program: they get names, not even placeholders. */
function maskObserver(observe: (entry: EntryDraft) => void, secrets: Secrets | undefined): (entry: EntryDraft) => void {
  return secrets === undefined ? observe : (entry) => observe(secrets.mask(entry));
}
