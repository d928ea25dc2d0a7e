import type { Engine } from '../engines/port/engine.js';
import type { RequestAnswer } from '../engines/port/request.js';

/** The first option of every gate that is open, as answers: what gates that are skipped choose by themselves. */
export async function firstChoices(
  engine: Engine,
  runId: string,
  by: string | undefined,
): Promise<Readonly<Record<string, RequestAnswer>>> {
  const open = await engine.openRequests(runId);
  const answers = open.flatMap(({ id, type, options }) => {
    const [first] = options ?? [];
    if (type !== 'gate' || first === undefined) return [];
    return [[id, { decision: 'approve', value: first.value, ...(by !== undefined && { by }) } as const] as const];
  });
  return Object.fromEntries(answers);
}
