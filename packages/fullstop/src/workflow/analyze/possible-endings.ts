import type { BuiltInKind } from '../../termination/kinds.js';
import type { Cycle } from '../graph/cycles.js';
import type { LoadedDocument } from '../graph/loaded-document.js';
import { hasCatchAll, matchesAnyError, type RouteGraph, type Unit } from '../graph/route-graph.js';
import type { Step, WorkflowDocument } from '../schema/document.js';
import { unitsAtLimit } from './iteration-limit.js';

/** One way in which runs of a workflow can end. */
export interface PossibleEnding {
  readonly kind: BuiltInKind;
  /** Of an explicit end only. */
  readonly status?: 'success' | 'failed';
  /** The steps and groups at which it can happen; empty when it can happen at any time. */
  readonly steps: readonly string[];
  /** Why, in one sentence. */
  readonly why: string;
}

interface Subject {
  readonly loaded: LoadedDocument;
  readonly document: WorkflowDocument;
  readonly graph: RouteGraph;
  readonly reachable: readonly Unit[];
  readonly cycles: readonly Cycle[];
  /** The files on the way here, against sub-workflows that name themselves. */
  readonly chain: readonly string[];
}

/** Every way in which runs can end: a run that ends otherwise is a bug of this analysis. */
export function possibleEndings(subject: Subject): readonly PossibleEnding[] {
  const { document, graph, reachable, cycles } = subject;
  const { limits } = document.workflow;
  const named = (units: readonly Unit[]): readonly string[] => units.map(({ name }) => name);
  const where = (steps: readonly string[], ending: Omit<PossibleEnding, 'steps'>): readonly PossibleEnding[] =>
    steps.length === 0 ? [] : [{ ...ending, steps }];
  const ending = reachable.filter(({ name }) => (graph.from.get(name) ?? []).some(({ to }) => to === '$end'));
  const limited = unitsAtLimit(document, graph, cycles);
  return [
    ...where(named(ending), { kind: 'flow_completed', why: 'A route leads to $end, or there is no route to follow' }),
    ...where(named(reachable.filter((unit) => canTerminate(unit, 'success'))), {
      kind: 'terminated',
      status: 'success',
      why: 'A terminate step ends the workflow as a success',
    }),
    ...where(named(reachable.filter((unit) => canTerminate(unit, 'failed'))), {
      kind: 'terminated',
      status: 'failed',
      why: 'A terminate step ends the workflow as a failure',
    }),
    ...where(limited, { kind: 'max_iterations', why: `The limit of ${limits.max_iterations} steps can be reached` }),
    ...(limits.timeout_seconds === undefined
      ? []
      : [{ kind: 'time_budget', steps: [], why: `The run may take ${limits.timeout_seconds}s` } as const]),
    ...(limits.budget_usd === undefined || limits.budget_mode !== 'enforce'
      ? []
      : [{ kind: 'cost_budget', steps: [], why: `The run may cost $${limits.budget_usd}` } as const]),
    ...pauses(subject),
    ...where(named(reachable.filter((unit) => canExpire(unit))), {
      kind: 'gate_expired',
      why: 'Nobody answers in time',
    }),
    ...where(named(reachable.filter((unit) => !hasCatchAll(unit))), {
      kind: 'no_route',
      why: 'No condition of the routes may hold',
    }),
    ...where(named(reachable.filter((unit) => hasUnitInside(unit) && !catchesErrors(unit))), {
      kind: 'child_failed',
      why: 'A step with an ending of its own fails',
    }),
    { kind: 'failed', steps: [], why: 'A template, a script or the engine fails' },
    { kind: 'cancelled', steps: [], why: 'Someone stops the run' },
    { kind: 'abandoned', steps: [], why: 'The process dies and nobody resumes the run' },
  ];
}

function canTerminate(unit: Unit, status: 'success' | 'failed'): boolean {
  if (unit.type !== 'step' || unit.step.type !== 'terminate') return false;
  return unit.step.status === status || unit.step.status.includes('{');
}

function stepsOf(unit: Unit): readonly Step[] {
  if (unit.type === 'step') return [unit.step];
  return unit.type === 'parallel' ? unit.members : [unit.group.agent];
}

/** Steps without an ending of their own: when they fail, the workflow fails directly. */
const plain: ReadonlySet<Step['type']> = new Set<Step['type']>(['script', 'set', 'wait', 'terminate']);

function hasUnitInside(unit: Unit): boolean {
  return unit.type !== 'step' || !plain.has(unit.step.type);
}

function catchesErrors(unit: Unit): boolean {
  if (unit.type !== 'step') return unit.group.on_error.some(matchesAnyError);
  return 'on_error' in unit.step && unit.step.on_error.some(matchesAnyError);
}

function canExpire(unit: Unit): boolean {
  return stepsOf(unit).some(
    (step) => (step.type === 'human_gate' || step.type === 'questions') && step.deadline !== undefined,
  );
}

/** Whoever asks a person pauses the run, also from inside a sub-workflow. */
function pauses(subject: Subject): readonly PossibleEnding[] {
  const { reachable } = subject;
  const asking = (kinds: readonly string[]): readonly string[] =>
    reachable.filter((unit) => stepsOf(unit).some((step) => asks(subject, step, kinds))).map(({ name }) => name);
  const gates = asking(['human_gate', 'module']);
  const others = asking(['questions', 'dialog', 'module']);
  return [
    ...(gates.length === 0 ? [] : [{ kind: 'gate_pending', steps: gates, why: 'A person has to decide' } as const]),
    ...(others.length === 0
      ? []
      : [{ kind: 'interaction_pending', steps: others, why: 'A person has to answer' } as const]),
  ];
}

function asks(subject: Subject, step: Step, kinds: readonly string[]): boolean {
  if (step.type === 'agent') return step.dialog !== undefined && kinds.includes('dialog');
  if (step.type === 'pipeline' || step.type === 'convergence') return kinds.includes('module');
  if (step.type !== 'workflow') return kinds.includes(step.type);
  const child = subject.loaded.child(step.workflow);
  if (!child.ok || subject.chain.includes(child.loaded.file)) return false;
  const { agents, for_each: groups } = child.loaded.document;
  const inner: Subject = { ...subject, loaded: child.loaded, chain: [...subject.chain, child.loaded.file] };
  return [...agents, ...groups.map(({ agent }) => agent)].some((one) => asks(inner, one, kinds));
}
