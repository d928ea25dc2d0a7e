import type { JsonObject } from 'fullstop';
import {
  isGroupKind,
  makeParallelUnit,
  makeScope,
  parentScope,
  parseMemberUnit,
  parsePart,
  parseScope,
} from 'fullstop/journal';

/**
 * The ids of nodes in a graph. All visits to a step are one node, so an id is the path of a unit without the marks of visits and attempts. What is drawn
 * beside units begins with an @, which keeps it apart from their names.
 */
export class NodeNames {
  /** The groups that a workflow has announced, by the scope of the workflow. */
  readonly #groups = new Map<string, Set<string>>();
  readonly #ids = new Map<string, string>([['', '']]);

  /** Learns the names of groups, without which their members could not be told from other units. */
  learn(scope: string, { type, step, kind }: JsonObject): void {
    if (type !== 'step_started' || typeof step !== 'string' || typeof kind !== 'string' || !isGroupKind(kind)) return;
    const known = this.#groups.get(scope);
    if (known === undefined) this.#groups.set(scope, new Set([step]));
    else known.add(step);
  }

  /** The node of a unit. */
  idOf(scope: string): string {
    const known = this.#ids.get(scope);
    if (known !== undefined) return known;
    const parent = parentScope(scope);
    const id = makeScope(this.idOf(parent), this.#plain(parent, parseScope(scope).at(-1) ?? ''));
    this.#ids.set(scope, id);
    return id;
  }

  /** The node of something inside a unit. */
  inside(scope: string, name: string): string {
    return makeScope(this.idOf(scope), this.#plain(scope, name));
  }

  /** The group that a unit of a workflow is a member of. */
  groupOf(scope: string, unit: string): string | undefined {
    for (const group of this.#groups.get(scope) ?? [])
      if (parseMemberUnit(unit, group) !== undefined) return makeScope(this.idOf(scope), group);
    return undefined;
  }

  #plain(scope: string, part: string): string {
    for (const group of this.#groups.get(scope) ?? []) {
      const place = parseMemberUnit(part, group);
      if (place === undefined) continue;
      if ('index' in place) return `${group}[${place.index}]`;
      return makeParallelUnit({ group, name: parsePart(place.member).name, occurrence: 1 });
    }
    return parsePart(part).name;
  }
}

/** The nodes that are drawn beside those of units. */
export const drawnNodes = {
  start: '@start',
  end: '@end',
  model: '@model',
  facts: '@facts',
  tool: (tool: string): string => `@tool ${tool}`,
  step: (name: string): string => `@step ${name}`,
  suggestor: (name: string): string => `@suggestor ${name}`,
} as const;
