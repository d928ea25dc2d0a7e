import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { JsonValue } from '../../termination/json.js';
import { passedBy, reserved } from '../perform/human/reserved-words.js';
import { objectOf } from './described-workflow.js';
import type { Asked, EventWriter, Replied } from './event-writer.js';
import type { UnitScope } from './workflow-scope.js';

/** One of several questions is asked. */
export function presentQuestion(writer: EventWriter, entry: JournalEntry, { unit, request }: Asked): void {
  settleAnswer(writer, unit, request);
  const details = (request.options ?? []).map(({ value, label }) => ({
    label: label ?? value,
    value,
    route: '',
    prompt_for: null,
    multiline: false,
  }));
  writer.write(unit.workflow, entry, 'gate_presented', {
    agent_name: unit.step,
    options: details.map(({ value }) => value),
    option_details: details,
    prompt: request.summary ?? '',
    prompt_id: request.id,
    step_type: unit.kind,
  });
}

const ways: ReadonlySet<unknown> = new Set([reserved.back, reserved.skipAll, reserved.abort, passedBy]);

/** The answer to a question that is asked once more was refused; the others stand. */
export function settleAnswer(writer: EventWriter, unit: UnitScope, next?: OpenRequest): void {
  const { answered } = unit;
  unit.answered = undefined;
  if (answered === undefined || ways.has(answered.value)) return;
  const { entry, request, value } = answered;
  const { question = '', index, of: total = null } = objectOf(request.input);
  if (next !== undefined && objectOf(next.input)['index'] === index) {
    const reason = (next.summary ?? '').split('\n', 1)[0] ?? '';
    const refused = { agent_name: unit.step, question_id: question, reason };
    writer.write(unit.workflow, entry, 'questions_answer_rejected', refused);
    return;
  }
  const source = sourceOf(unit, { question, value, request });
  writer.write(unit.workflow, entry, 'questions_answered', {
    agent_name: unit.step,
    question_id: question,
    cursor: typeof index === 'number' ? index - 1 : null,
    total,
    source,
    skipped: source === 'skipped',
  });
}

interface Said {
  readonly question: JsonValue;
  readonly value: JsonValue | undefined;
  readonly request: OpenRequest;
}

/** Where an answer came from, in the words of the step's own output. */
function sourceOf({ began }: UnitScope, { question, value, request }: Said): string {
  const word = typeof value === 'string' ? value.trim() : value;
  if (word === undefined || word === '' || word === reserved.skip) {
    const asked = Array.isArray(began['questions']) ? began['questions'].map(objectOf) : [];
    return asked.find(({ id }) => id === question)?.['default'] === undefined ? 'skipped' : 'default';
  }
  return request.options?.some((option) => option.value === value) === true ? 'choice' : 'free_text';
}

/** A question was answered; whether the answer counts is known when the next one is asked. */
export function resolveQuestion(writer: EventWriter, entry: JournalEntry, { unit, request, said }: Replied): void {
  writer.write(unit.workflow, entry, 'gate_resolved', {
    agent_name: unit.step,
    selected_option: said ?? null,
    route: '',
    additional_input: {},
    prompt_id: request.id,
    step_type: unit.kind,
  });
  unit.answered = { entry, request, value: said };
}
