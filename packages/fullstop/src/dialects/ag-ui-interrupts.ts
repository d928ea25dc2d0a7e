import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import type { PendingRequest } from '../termination/kinds/human.js';
import { badPayload } from './bad-payload.js';
import type { ForeignFields, ForeignTermination } from './dialect.js';

/** A question to someone outside the run, as far as it is known. */
export type ForeignRequest = NonNullable<ForeignTermination<'interaction_pending'>['requests']>[number];

type RequestType = PendingRequest['type'];

interface Question {
  /** The reason that clients choose a dialog by; those of one's own have a prefix. */
  readonly reason: string;
  /** The text for clients that do not know the reason. */
  message(subject: string): string;
}

const questions: Readonly<Record<RequestType, Question>> = {
  // Not tool_call: that demands the id of the call in the message stream, which a request does not have.
  approval: { reason: 'confirmation', message: (subject) => `Approve ${subject}?` },
  input: { reason: 'input_required', message: (subject) => `Input is needed for ${subject}.` },
  client_tool: { reason: 'fullstop:client_tool', message: (subject) => `The result of ${subject} is needed.` },
  confirm_outcome: { reason: 'fullstop:confirm_outcome', message: (subject) => `Did ${subject} take effect?` },
  gate: { reason: 'fullstop:gate', message: (subject) => `A decision is needed: ${subject}.` },
};

const openQuestion: Question = { reason: 'fullstop:request', message: (subject) => `An answer is needed: ${subject}.` };

const types: ReadonlyMap<string, RequestType> = new Map([
  ['tool_call', 'approval'],
  ...Object.entries(questions).map(([type, { reason }]) => [reason, type as RequestType] as const),
]);

/** The members of a request that an interrupt has no place for but its free metadata. */
const inMetadata = ['path', 'tool', 'input', 'options'] as const;

/** A request as an AG-UI interrupt, with a text that is made up from its type unless given. */
export function writeInterrupt(request: ForeignRequest, text?: string): JsonObject {
  const { id = '', type, tool, schema, deadline } = request;
  const { reason, message } = type === undefined ? openQuestion : questions[type];
  const own = Object.fromEntries(
    inMetadata.flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]])),
  );
  return {
    id,
    reason,
    message: text ?? message(tool ?? id),
    ...(isObject(schema) && { responseSchema: schema as JsonObject }),
    ...(deadline !== undefined && { expiresAt: deadline }),
    ...(Object.keys(own).length > 0 && { metadata: { fullstop: own as JsonObject } }),
  };
}

/** AG-UI interrupts as requests. */
export function readInterrupts(interrupts: JsonValue | undefined): ForeignFields<'interaction_pending'> {
  const isList = Array.isArray(interrupts) && interrupts.length > 0 && interrupts.every(isObject);
  if (!isList) throw badPayload('RUN_FINISHED interrupt', 'outcome.interrupts', 'a list of objects, and not empty');
  return { requests: (interrupts as readonly JsonObject[]).map(readInterrupt) };
}

function readInterrupt(interrupt: JsonObject): ForeignRequest {
  const { id, reason, responseSchema, expiresAt, metadata } = interrupt;
  const type = typeof reason === 'string' ? types.get(reason) : undefined;
  const deadline = typeof expiresAt === 'string' ? instant(expiresAt) : undefined;
  const own = isObject(metadata) && isObject(metadata['fullstop']) ? metadata['fullstop'] : {};
  return {
    ...(typeof id === 'string' && { id }),
    ...(type !== undefined && { type }),
    ...(responseSchema !== undefined && { schema: responseSchema as JsonObject }),
    ...(deadline !== undefined && { deadline }),
    ...Object.fromEntries(inMetadata.flatMap((key) => (Object.hasOwn(own, key) ? [[key, own[key]]] : []))),
  };
}

/** Times there may have any offset and precision, deadlines here are in UTC; one that is no time is left out. */
function instant(time: string): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  return /T\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(time) ? time : date.toISOString();
}
