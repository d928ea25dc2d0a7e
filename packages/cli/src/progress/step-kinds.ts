import { makeParallelUnit } from 'fullstop/journal';
import type { Workflow } from 'fullstop/workflow';

/** The type of each step of a workflow, by its name in a journal: `review`, `research.clock`, `check`. */
export type StepKinds = ReadonlyMap<string, string>;

/** The steps of a workflow file, before anything runs. */
export function stepKinds({ agents, parallel, for_each: groups }: Workflow['document']): StepKinds {
  const kinds = new Map<string, string>(agents.map(({ name, type }) => [name, type ?? 'agent']));
  const members = parallel.flatMap(({ name, agents: inside }) =>
    inside.map((member): [string, string] => [
      makeParallelUnit({ group: name, name: member, occurrence: 1 }),
      kinds.get(member) ?? 'agent',
    ]),
  );
  const items = groups.map(({ name, agent }): [string, string] => [name, agent.type ?? 'agent']);
  return new Map([...kinds, ...members, ...items]);
}
