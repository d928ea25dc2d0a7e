import type { Context, Span } from '@opentelemetry/api';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { attemptScope, makePart, makeScope } from '../../run/journal/scope-path.js';
import { isGroupKind } from '../../workflow/graph/workflow-key.js';

/** A unit of a run, as far as its entries say. */
export interface UnitTrack {
  readonly scope: string;
  readonly name: string;
  readonly parent: UnitTrack | undefined;
  /** The active time of the run when its last attempt began. */
  since: number;
  /** The name of the pipeline that runs in it. */
  pipeline: string | undefined;
  /** True for a stage of the pipeline that is its parent. */
  isStage: boolean;
  /** The name of the phase that it is. */
  phase: string | undefined;
  /** When this segment began or resumed it. */
  startedAt: number;
  span: Span | undefined;
  /** The context of its span; made for the first span in it. */
  inside: Context | undefined;
  iteration: Span | undefined;
  insideIteration: Context | undefined;
  /** How many iterations of an agent are done, in earlier segments too. */
  iterations: number;
  /** The cycle that a convergence is in; undefined for anything else. */
  cycle: number | undefined;
  /** True when the steps of a workflow file run in it. */
  isWorkflow: boolean;
  /** The step that a workflow is at. */
  step: { readonly name: string; readonly kind: string } | undefined;
  /** The last time that something in it was decided: what it does now began then. */
  decidedAt: number;
  /** The operation of the GenAI conventions that it is; undefined until the journal says so, and for anything else. */
  operation: 'invoke_agent' | 'invoke_workflow' | undefined;
  /** The ids of the tool calls that its model asked for last. */
  callIds: readonly string[];
  /** How many model and tool calls it has made in this segment. */
  inferenceCalls: number;
  toolCalls: number;
  /** The definition that runs in it, where the journal says so. */
  definition: string | undefined;
  /** The units in it, by their ordinals. */
  slots: Map<number, UnitTrack> | undefined;
  /** How often units of a name were opened in it. */
  visits: Map<string, number> | undefined;
  /** The path of its first attempt. */
  readonly visit: string;
  /** True when it ended for good, so that a later attempt has a scope of its own. */
  over: boolean;
}

interface Opened extends Pick<UnitTrack, 'scope' | 'visit' | 'name' | 'parent'> {
  readonly at: number;
}

/** The open units of a run by their paths, derived from the entries that open and end them. */
export class Units {
  readonly root: UnitTrack;
  readonly #units = new Map<string, UnitTrack>();
  /** The unit that was asked for last: entries of one unit mostly follow one another. */
  #last: UnitTrack;

  constructor(name: string, at: number) {
    this.root = newUnit({ scope: '', visit: '', name, parent: undefined, at });
    this.#last = this.root;
    this.#units.set('', this.root);
  }

  /** The unit that an entry is in. */
  at(scope: string): UnitTrack | undefined {
    if (scope === this.#last.scope) return this.#last;
    const unit = this.#units.get(scope);
    if (unit !== undefined) this.#last = unit;
    return unit;
  }

  open({ scope, ordinal, at, data: { name, attempt } }: EntryDraft<'scope_opened'>, activeMs: number): UnitTrack {
    // A history that was passed in part need not have the opening of every parent.
    const parent = this.at(scope) ?? this.#add({ scope, visit: scope, name: scope, parent: this.root, at });
    parent.slots ??= new Map();
    const earlier = parent.slots.get(ordinal);
    const visit = earlier?.visit ?? visitOf(parent, scope, name);
    const isOpen = earlier !== undefined && !earlier.over;
    const path = earlier === undefined ? visit : attemptScope(visit, attempt);
    const unit = isOpen ? this.#reopen(earlier, at) : this.#add({ scope: path, visit, name, parent, at });
    unit.since = activeMs;
    parent.slots.set(ordinal, unit);
    return unit;
  }

  #reopen(unit: UnitTrack, at: number): UnitTrack {
    unit.decidedAt = at;
    unit.startedAt = at;
    this.#units.set(unit.scope, unit);
    return unit;
  }

  /**
   * The unit that has ended. A later attempt resumes it, or begins anew if it ended for good; until then nothing is
   * looked for in it, and a long run has to remember only what is open.
   */
  end({ scope, ordinal, data }: EntryDraft<'unit_ended'>): UnitTrack | undefined {
    const unit = this.at(scope)?.slots?.get(ordinal);
    if (unit === undefined) return undefined;
    unit.over = data.termination.kind === 'terminated';
    this.#units.delete(unit.scope);
    return unit;
  }

  /** Those that are open. */
  all(): Iterable<UnitTrack> {
    return this.#units.values();
  }

  #add(opened: Opened): UnitTrack {
    const unit = newUnit(opened);
    const { parent } = opened;
    unit.isStage = parent?.pipeline !== undefined || parent?.phase !== undefined;
    this.#units.set(opened.scope, unit);
    return unit;
  }
}

function visitOf(parent: UnitTrack, scope: string, name: string): string {
  parent.visits ??= new Map();
  const count = (parent.visits.get(name) ?? 0) + 1;
  parent.visits.set(name, count);
  return makeScope(scope, makePart({ name, visit: count }));
}

function newUnit({ scope, visit, name, parent, at }: Opened): UnitTrack {
  return {
    scope,
    name,
    parent,
    since: 0,
    pipeline: undefined,
    isStage: false,
    phase: undefined,
    startedAt: at,
    span: undefined,
    inside: undefined,
    iteration: undefined,
    insideIteration: undefined,
    iterations: 0,
    cycle: undefined,
    isWorkflow: false,
    step: undefined,
    decidedAt: at,
    operation: undefined,
    callIds: [],
    inferenceCalls: 0,
    toolCalls: 0,
    definition: undefined,
    slots: undefined,
    visits: undefined,
    visit,
    over: false,
  };
}

/** True while a workflow is in a group: its members begin together. */
export function isInGroup({ step }: UnitTrack): boolean {
  return step !== undefined && isGroupKind(step.kind);
}

/** The stage that a unit is, or its nearest parent that is one. */
export function stageOf(unit: UnitTrack | undefined): UnitTrack | undefined {
  for (let each = unit; each !== undefined; each = each.parent) if (each.isStage) return each;
  return undefined;
}

/** The pipeline that a stage belongs to. */
export function pipelineOf({ parent }: UnitTrack): string {
  return (parent?.phase === undefined ? parent?.pipeline : parent.parent?.pipeline) ?? '';
}
