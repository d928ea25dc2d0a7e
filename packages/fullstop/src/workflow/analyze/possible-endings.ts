import type { BuiltInKind } from '../../termination/kinds.js';
import type { Cycle } from '../graph/cycles.js';
import { matchesAnyError } from '../graph/edge.js';
import { stepsIn } from '../graph/group-types.js';
import type { LoadedFile } from '../graph/loaded-file.js';
import { errorRoutesOf, hasCatchAll, type Unit } from '../graph/unit.js';
import type { Step } from '../schema/document.js';
import { unitsAtLimit } from './iteration-limit.js';
import type { AnalysisRow } from './meaning.js';

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
  readonly loaded: LoadedFile<AnalysisRow>;
  readonly reachable: readonly Unit[];
  readonly cycles: readonly Cycle[];
  /** The files on the way here, against sub-workflows that name themselves. */
  readonly chain: readonly string[];
}

/** Every way in which runs can end: a run that ends otherwise is a bug of this analysis. */
export function possibleEndings(subject: Subject): readonly PossibleEnding[] {
  const { loaded, reachable, cycles } = subject;
  const { document, graph } = loaded;
  const { limits } = document.workflow;
  const named = (units: readonly Unit[]): readonly string[] => units.map(({ name }) => name);
  const where = (steps: readonly string[], ending: Omit<PossibleEnding, 'steps'>): readonly PossibleEnding[] =>
    steps.length === 0 ? [] : [{ ...ending, steps }];
  const ending = reachable.filter(({ name }) => (graph.from.get(name) ?? []).some(({ to }) => to === '$end'));
  const limited = unitsAtLimit(loaded, cycles);
  return [
    ...where(named(ending), { kind: 'flow_completed', why: 'A route leads to $end, or there is no route to follow' }),
    ...where(named(reachable.filter((unit) => canTerminate(subject, unit, 'success'))), {
      kind: 'terminated',
      status: 'success',
      why: 'A terminate step ends the workflow as a success',
    }),
    ...where(named(reachable.filter((unit) => canTerminate(subject, unit, 'failed'))), {
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
    ...where(named(reachable.filter((unit) => canExpire(subject, unit))), {
      kind: 'gate_expired',
      why: 'Nobody answers in time',
    }),
    ...where(named(reachable.filter((unit) => !hasCatchAll(unit))), {
      kind: 'no_route',
      why: 'No condition of the routes may hold',
    }),
    ...where(named(reachable.filter((unit) => hasUnitInside(subject, unit) && !catchesErrors(unit))), {
      kind: 'child_failed',
      why: 'A step with an ending of its own fails',
    }),
    { kind: 'failed', steps: [], why: 'A template, a script or the engine fails' },
    { kind: 'cancelled', steps: [], why: 'Someone stops the run' },
    { kind: 'abandoned', steps: [], why: 'The process dies and nobody resumes the run' },
  ];
}

function canTerminate({ loaded: { steps } }: Subject, unit: Unit, status: 'success' | 'failed'): boolean {
  if (unit.type !== 'step') return false;
  return steps.of(unit.step).analysis.endsWorkflow(unit.step)?.statuses.includes(status) === true;
}

/** When a step without an ending of its own fails, the workflow fails directly. */
function hasUnitInside({ loaded: { steps } }: Subject, unit: Unit): boolean {
  return unit.type !== 'step' || steps.of(unit.step).graph.hasOwnEnding;
}

function catchesErrors(unit: Unit): boolean {
  return errorRoutesOf(unit).some(matchesAnyError);
}

function canExpire({ loaded: { steps } }: Subject, unit: Unit): boolean {
  return stepsIn(unit).some((step) => steps.of(step).analysis.waitsForPerson(step) === 'until a deadline');
}

/** Whoever asks a person pauses the run, also from inside a sub-workflow. */
function pauses(subject: Subject): readonly PossibleEnding[] {
  const { reachable } = subject;
  const asking = (what: Asked): readonly string[] =>
    reachable.filter((unit) => stepsIn(unit).some((step) => asks(subject, step, what))).map(({ name }) => name);
  const gates = asking('decision');
  const others = asking('answer');
  return [
    ...(gates.length === 0 ? [] : [{ kind: 'gate_pending', steps: gates, why: 'A person has to decide' } as const]),
    ...(others.length === 0
      ? []
      : [{ kind: 'interaction_pending', steps: others, why: 'A person has to answer' } as const]),
  ];
}

type Asked = 'decision' | 'answer';

function asks(subject: Subject, step: Step, what: Asked): boolean {
  const { analysis, graph } = subject.loaded.steps.of(step);
  if (analysis.asks(step).includes(what)) return true;
  const file = graph.runsFile(step);
  const child = file === undefined ? undefined : subject.loaded.child(file);
  if (child?.ok !== true || subject.chain.includes(child.loaded.file)) return false;
  const { agents, for_each: groups } = child.loaded.document;
  const inner: Subject = { ...subject, loaded: child.loaded, chain: [...subject.chain, child.loaded.file] };
  return [...agents, ...groups.map(({ agent }) => agent)].some((one) => asks(inner, one, what));
}
