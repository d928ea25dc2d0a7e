import type { AnyTermination, JournalEntry, JsonObject, JsonValue } from 'fullstop';
import type { UnitNode } from '../journal/unit-tree.js';
import { valueText } from '../journal/value-text.js';

/** The choice of a way that a workflow has recorded. */
interface RecordedRoute {
  readonly from: string;
  readonly to: string;
  /** Counted from 0. */
  readonly route?: number;
  readonly when?: string;
  readonly values?: Readonly<Record<string, JsonValue>>;
}

/** How a workflow came to the step that ended it: the route that was taken there, with the values it was decided by. */
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
  return route === undefined ? [] : [routeText(route)];
}

function readRoute(data: JsonObject): RecordedRoute | undefined {
  const { from, to } = data;
  return data['type'] === 'route' && typeof from === 'string' && typeof to === 'string'
    ? (data as unknown as RecordedRoute)
    : undefined;
}

function routeText({ from, route, when, values = {} }: RecordedRoute): string {
  const seen = Object.entries(values).map(([name, value]) => `${name} = ${valueText(value, 40)}`);
  const number = route === undefined ? 'a route' : `route ${route + 1}`;
  const condition = when === undefined ? 'has no condition' : `is \`${when}\``;
  return `${seen.length === 0 ? '' : `${seen.join(', ')} and `}${number} of ${from} ${condition}`;
}
