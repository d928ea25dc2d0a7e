import type { Engine } from '../engines/port/engine.js';
import type { OpenRequest, RequestAnswer } from '../engines/port/request.js';
import { isObject, type JsonValue } from '../termination/json.js';
import { dialogUnit, isQuestionId } from './graph/workflow-key.js';
import { passedBy } from './perform/human/reserved-words.js';

/**
 * What is open to people, answered as if it had been skipped: of a gate the first option, of questions what the rest of them
 * has by default, of a conversation nothing more. For a request whose time has passed its deadline decides.
 */
export async function firstChoices(
  engine: Engine,
  runId: string,
  by: string | undefined,
): Promise<Readonly<Record<string, RequestAnswer>>> {
  const open = await engine.openRequests(runId);
  const now = engine.clock.now();
  const answers = open.flatMap((request) => {
    const value = request.deadline !== undefined && request.deadline <= now ? undefined : skippingValue(request);
    if (value === undefined) return [];
    const decision = request.type === 'gate' ? 'approve' : 'value';
    return [[request.id, { decision, value, ...(by !== undefined && { by }) } as const] as const];
  });
  return Object.fromEntries(answers);
}

/** The answer that skips a request; undefined for one of a body of the user's own. */
function skippingValue(request: OpenRequest): JsonValue | undefined {
  const { id, path, type, options: [first] = [], input } = request;
  if (type === 'gate') return first?.value;
  if (type !== 'input') return undefined;
  if (isQuestionId(id, { scope: path, subject: dialogUnit })) return 'continue';
  const subject = isObject(input) ? input['question'] : undefined;
  return typeof subject === 'string' && isQuestionId(id, { scope: path, subject }) ? passedBy : undefined;
}
