import type { Ending, Outcome } from '../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { type ForeignRequest, readInterrupts, writeInterrupt } from './ag-ui-interrupts.js';
import {
  type Dialect,
  defineDialect,
  type ForeignFields,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
  type Parts,
} from './dialect.js';
import { outcomeOf } from './general-word.js';
import { plainWords } from './plain-words.js';
import { specialWord, word } from './word.js';

const success: JsonObject = { type: 'success' };

/** Stands for a cancellation without a reason, since the message of an error is not optional. */
const noReason = 'Run cancelled';

const cancellation = {
  carries: ['message → reason'],
  write: ({ reason = noReason }: ForeignTermination<'cancelled'>): ForeignPayload => ({ message: reason }),
  read: ({ message }: ForeignPayload): ForeignFields<'cancelled'> =>
    typeof message === 'string' && message !== noReason ? { reason: message } : {},
} as const;

const words: readonly ForeignWord[] = [
  word('RUN_FINISHED success', 'natural_end'),
  specialWord('RUN_FINISHED interrupt', 'interaction_pending', {
    carries: [
      'outcome.interrupts[].id → requests[].id',
      'outcome.interrupts[].reason → requests[].type',
      'outcome.interrupts[].responseSchema → requests[].schema',
      'outcome.interrupts[].expiresAt → requests[].deadline',
      'outcome.interrupts[].metadata.fullstop → requests[].path, tool, input, options',
    ],
    // Clients refuse an empty list.
    fits: (t) => t.requests !== undefined && t.requests.length > 0,
    note: 'The reasons tool_call and confirmation are read as approvals, input_required as an input; those of other frameworks do not say the type.',
    write: (t) => ({
      outcome: { type: 'interrupt', interrupts: (t.requests ?? []).map((each) => writeInterrupt(each)) },
    }),
    read: (payload) => readInterrupts((payload['outcome'] as JsonObject)['interrupts']),
  }),
  word('RUN_FINISHED', 'indeterminate', {
    implied: { candidates: ['natural_end', 'interaction_pending'] },
    note: 'Without an outcome, as before interrupts had one: it ended without an error, and may still wait for someone.',
  }),
  specialWord('RUN_ERROR abort', 'cancelled', {
    ...cancellation,
    implied: { by: 'caller' },
    note: 'The code with which its own client reports an aborted request.',
  }),
  specialWord('RUN_ERROR CANCELLED', 'cancelled', {
    ...cancellation,
    canonical: 'RUN_ERROR abort',
    note: 'The code of Tirea servers.',
  }),
  specialWord('RUN_ERROR', 'failed', {
    carries: ['message → error.message', 'code → error.code'],
    write: (t) => ({
      message: t.error?.message ?? plainWords(t),
      ...(t.error?.code !== undefined && codeIsFree(t.error.code) && { code: t.error.code }),
    }),
    read: ({ message, code }) => ({
      error: { ...(typeof message === 'string' && { message }), ...(typeof code === 'string' && { code }) },
    }),
  }),
];

/** AG-UI's last event of a run. Whoever sends a RUN_FINISHED adds its `threadId` and `runId`, which no ending knows. */
export const agUi: Dialect<JsonObject> = defineDialect<JsonObject>({
  name: 'ag-ui',
  title: 'AG-UI',
  words,
  split(value) {
    if (!isObject(value) || typeof value['type'] !== 'string') return undefined;
    const { type, ...payload } = value as JsonObject & { readonly type: string };
    return { word: [type, ...detailOf(type, payload)].join(' '), payload };
  },
  join(name, payload) {
    const [type = '', detail] = name.split(' ');
    if (detail === undefined) return { type, ...payload };
    if (type === 'RUN_FINISHED') return { type, outcome: { type: detail }, ...payload };
    // Its message is not optional, and a third-party kind may not bring one.
    return { type, message: detail, ...payload, code: detail };
  },
  otherwise(termination, registry) {
    const outcome = outcomeOf(termination, registry);
    // Without an outcome the event says no more than that the run is over.
    return outcome === undefined ? { type: 'RUN_FINISHED' } : byOutcome[outcome](termination, registry);
  },
  // The codes of errors are free, so all but the listed ones are just errors.
  general: ({ word: name, payload }: Parts) =>
    name.startsWith('RUN_ERROR ') ? { word: 'RUN_ERROR', payload } : undefined,
});

function detailOf(type: string, { outcome, code }: JsonObject): readonly string[] {
  if (type === 'RUN_FINISHED' && isObject(outcome)) return [String(outcome['type'])];
  return type === 'RUN_ERROR' && typeof code === 'string' ? [code] : [];
}

/** A code that is a word of its own would turn a failure into something else. */
function codeIsFree(code: string): boolean {
  return !words.some((each) => each.word === `RUN_ERROR ${code}`);
}

type Writer = (termination: Ending | ForeignTermination, registry: TerminationRegistry) => JsonObject;

const byOutcome: Readonly<Record<Outcome, Writer>> = {
  succeeded: writeFinished,
  skipped: writeFinished,
  paused: writeInterrupted,
  cancelled: (t, registry) => ({ type: 'RUN_ERROR', message: plainWords(t, registry), code: 'abort' }),
  failed: (t, registry) => ({ type: 'RUN_ERROR', message: plainWords(t, registry), code: t.kind }),
};

function writeFinished(termination: Ending | ForeignTermination): JsonObject {
  const { deliverable, output } = termination as { readonly deliverable?: JsonValue; readonly output?: JsonValue };
  const result = deliverable ?? output;
  return { type: 'RUN_FINISHED', outcome: success, ...(result !== undefined && { result }) };
}

function writeInterrupted(termination: Ending | ForeignTermination, registry: TerminationRegistry): JsonObject {
  const { kind } = termination;
  const { gates = [] } = termination as Partial<ForeignTermination<'gate_pending'>>;
  const open = gates.map(({ gateId, summary, path, options, deadline }) =>
    writeInterrupt({ id: gateId, type: 'gate', path, options, deadline } as ForeignRequest, summary),
  );
  // The list must not be empty; an answer needs at least something to refer to.
  const whole = { id: kind, reason: `fullstop:${kind}`, message: plainWords(termination, registry) };
  return { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: open.length === 0 ? [whole] : open } };
}
