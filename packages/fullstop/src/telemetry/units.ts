import type { Span } from '@opentelemetry/api';
import type { EntryDraft } from '../engines/port/journal-entry.js';

/** A part of a run with an ending of its own, as far as its entries tell. */
export interface UnitTrack {
  readonly scope: string;
  readonly name: string;
  readonly parent: UnitTrack | undefined;
  /** When it began, or went on after a pause. */
  since: number | undefined;
  /** How long it went on before that. */
  durationMs: number;
  /** The name of the pipeline that runs in it. */
  pipeline: string | undefined;
  /** True for a stage of the pipeline around it. */
  isStage: boolean;
  /** The name of the phase that it is. */
  phase: string | undefined;
  span: Span | undefined;
  iteration: Span | undefined;
  /** How many iterations of an agent are through, in earlier segments too. */
  iterations: number;
  /** The cycle that a convergence is in; undefined for anything else. */
  cycle: number | undefined;
  /** The last time that something in it was decided: what it does now began then. */
  decidedAt: number;
  /** True when a model was asked in it. */
  isAgent: boolean;
  /** The definition that runs in it, where the journal says so. */
  definition: string | undefined;
}

interface Slot {
  /** The path of its visit. */
  readonly visit: string;
  path: string;
  /** True when its last attempt ended for good, so that the next one has a scope of its own. */
  over: boolean;
}

/** The units of a run by their paths, found out from the entries that open and end them. */
export class Units {
  readonly root: UnitTrack;
  readonly #units = new Map<string, UnitTrack>();
  readonly #slots = new Map<string, Slot>();
  readonly #visits = new Map<string, number>();

  constructor(name: string, at: number) {
    this.root = newUnit('', name, undefined, at);
    this.#units.set('', this.root);
  }

  /** The unit that an entry stands in. */
  at(scope: string): UnitTrack | undefined {
    return this.#units.get(scope);
  }

  open(entry: EntryDraft<'scope_opened'>): UnitTrack {
    const id = `${entry.scope}:${entry.ordinal}`;
    const { name, attempt } = entry.data;
    const slot = this.#slots.get(id) ?? this.#newSlot(id, entry.scope, name);
    if (slot.over) slot.path = `${slot.visit}~${attempt}`;
    slot.over = false;
    const known = this.#units.get(slot.path);
    if (known !== undefined) {
      known.since = entry.at;
      known.decidedAt = entry.at;
      return known;
    }
    const parent = this.#units.get(entry.scope) ?? this.root;
    const unit = newUnit(slot.path, name, parent, entry.at);
    unit.isStage = parent.pipeline !== undefined || parent.phase !== undefined;
    this.#units.set(slot.path, unit);
    return unit;
  }

  /** The unit that has ended; it is forgotten unless a later segment may take it up. */
  end(entry: EntryDraft<'unit_ended'>): UnitTrack | undefined {
    const slot = this.#slots.get(`${entry.scope}:${entry.ordinal}`);
    if (slot === undefined) return undefined;
    slot.over = entry.data.termination.kind === 'terminated';
    return this.#units.get(slot.path);
  }

  all(): Iterable<UnitTrack> {
    return this.#units.values();
  }

  #newSlot(id: string, scope: string, name: string): Slot {
    const path = scope === '' ? name : `${scope}/${name}`;
    const count = (this.#visits.get(path) ?? 0) + 1;
    this.#visits.set(path, count);
    const visit = count === 1 ? path : `${path}#${count}`;
    const slot = { visit, path: visit, over: false };
    this.#slots.set(id, slot);
    return slot;
  }
}

function newUnit(scope: string, name: string, parent: UnitTrack | undefined, at: number): UnitTrack {
  return {
    scope,
    name,
    parent,
    since: at,
    durationMs: 0,
    pipeline: undefined,
    isStage: false,
    phase: undefined,
    span: undefined,
    iteration: undefined,
    iterations: 0,
    cycle: undefined,
    decidedAt: at,
    isAgent: false,
    definition: undefined,
  };
}

/** Stops the clock of a unit, and gives how long it has gone on. */
export function pausedAt(unit: UnitTrack, at: number): number {
  if (unit.since !== undefined) unit.durationMs += Math.max(0, at - unit.since);
  unit.since = undefined;
  return unit.durationMs;
}

/** The stage that a unit is, or that is nearest around it. */
export function stageOf(unit: UnitTrack | undefined): UnitTrack | undefined {
  for (let each = unit; each !== undefined; each = each.parent) if (each.isStage) return each;
  return undefined;
}

/** The pipeline and the phase that a stage belongs to. */
export function placeOf(stage: UnitTrack): { readonly pipeline: string; readonly phase: string } {
  const around = stage.parent;
  const phase = around?.phase;
  const pipeline = phase === undefined ? around?.pipeline : around?.parent?.pipeline;
  return { pipeline: pipeline ?? '', phase: phase ?? '(none)' };
}
