import type { AnyTermination, JsonObject, JsonValue } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { makeScope, parseVisitedUnit } from 'fullstop/journal';
import { isObject } from '../journal/is-object.js';
import { type UnitNode, workflowObservations } from '../journal/unit-tree.js';
import { valueText } from '../journal/value-text.js';
import { decisionText } from './decisions.js';

/** The choice of a way that a workflow has recorded. */
interface RecordedRoute {
  readonly type: 'error_route' | 'route';
  readonly from: string;
  readonly to: string;
  /** Counted from 0. */
  readonly route?: number;
  readonly when?: string;
  readonly values?: Readonly<Record<string, JsonValue>>;
}

/** How a workflow reached the step that ended it: the route that was taken there, with the values that decided it. */
export function routesTo(
  termination: AnyTermination,
  unit: UnitNode,
  journal: readonly JournalEntry[],
): readonly string[] {
  if (termination.kind !== 'terminated') return [];
  const routes = journal.flatMap((entry) =>
    entry.type === 'observed' && entry.scope === unit.path ? (readRoute(entry.data) ?? []) : [],
  );
  const route = routes.findLast(({ to }) => to === termination.by);
  if (route === undefined) return [];
  if (route.type === 'error_route') return errorRoute(route, unit);
  const chosen = route.route === undefined ? decisionAt(journal, unit.path, route.from) : undefined;
  return [chosen ?? routeText(route)];
}

/** The decision of a person at a gate, whose route has no condition. */
function decisionAt(journal: readonly JournalEntry[], around: string, gate: string): string | undefined {
  const path = makeScope(around, gate);
  const answered = journal.findLast(
    (entry): entry is JournalEntry<'request_answered'> =>
      entry.type === 'request_answered' && visited(entry.scope) === path,
  );
  if (answered !== undefined) return decisionText(answered.data.answer);
  const skipped = journal.findLast(
    (entry): entry is JournalEntry<'unit_ended'> =>
      entry.type === 'unit_ended' && entry.scope === around && visited(entry.key) === gate,
  );
  const choice = choiceIn(skipped?.data.output);
  return choice === undefined ? undefined : `${gate} chose ${choice} by itself: gates are skipped`;
}

/** `m#2` is the second visit to `m`. */
function visited(key: string | undefined): string | undefined {
  return key === undefined ? undefined : parseVisitedUnit(key).name;
}

/** The output of a gate, which is in the journal as JSON text. */
function choiceIn(output: JsonValue | undefined): string | undefined {
  const text = isObject(output) ? output['output'] : undefined;
  const read: unknown = typeof text === 'string' && text.startsWith('{') ? JSON.parse(text) : undefined;
  return isObject(read) && typeof read['selected'] === 'string' ? read['selected'] : undefined;
}

/** The failure that led to an error route of the file. */
function errorRoute({ from, route }: RecordedRoute, unit: UnitNode): readonly string[] {
  const failed = workflowObservations(unit).findLast(
    ({ data }) => data['type'] === 'step_failed' && data['step'] === from,
  );
  const { message } = (failed?.data['error'] ?? {}) as { readonly message?: string };
  const number = route === undefined ? '' : ` ${route + 1}`;
  return [
    ...(message === undefined ? [] : [`${from} failed: ${valueText(message, 300)}`]),
    `error route${number} of ${from} was taken`,
  ];
}

function readRoute(data: JsonObject): RecordedRoute | undefined {
  const { from, to } = data;
  return (data['type'] === 'route' || data['type'] === 'error_route') &&
    typeof from === 'string' &&
    typeof to === 'string'
    ? (data as unknown as RecordedRoute)
    : undefined;
}

function routeText({ from, route, when, values = {} }: RecordedRoute): string {
  const seen = Object.entries(values).map(([name, value]) => `${name} = ${valueText(value, 40)}`);
  const number = route === undefined ? 'a route' : `route ${route + 1}`;
  const condition = when === undefined ? 'has no condition' : `is \`${when}\``;
  return `${seen.length === 0 ? '' : `${seen.join(', ')} and `}${number} of ${from} ${condition}`;
}
