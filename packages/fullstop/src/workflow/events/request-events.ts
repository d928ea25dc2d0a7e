import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { objectOf } from './described-workflow.js';
import type { EventWriter } from './event-writer.js';
import type { UnitScope } from './workflow-scope.js';

/** A question that was answered; whether the answer stands is known when the next one is asked. */
export interface AnsweredQuestion {
  readonly entry: JournalEntry;
  readonly request: OpenRequest;
  readonly value: JsonValue | undefined;
}

/** A person is asked something: one of several questions, or in a dialog. A gate was announced with its prompt. */
export function writeRequest(writer: EventWriter, entry: JournalEntry<'request_opened'>): void {
  const unit = writer.units.get(entry.scope);
  if (unit === undefined) return;
  const { request } = entry.data;
  writer.requests.set(request.id, { unit, request });
  if (unit.kind === 'questions') presentQuestion(writer, entry, { unit, request });
  else if (unit.kind === 'agent')
    speak(writer, entry, { unit, request, role: 'agent', content: request.summary ?? '' });
}

/** What the person said. */
export function writeAnswer(writer: EventWriter, entry: JournalEntry<'request_answered'>): void {
  const { requestId, value, decision } = entry.data.answer;
  const asked = writer.requests.get(requestId);
  if (asked === undefined) return;
  const { unit, request } = asked;
  const said = decision === 'deny' ? undefined : value;
  if (unit.kind === 'agent') {
    speak(writer, entry, { unit, request, role: 'user', content: typeof said === 'string' ? said : '' });
  } else if (unit.kind === 'questions') {
    writer.write(unit.workflow, entry, 'gate_resolved', {
      agent_name: unit.step,
      selected_option: said ?? null,
      route: '',
      additional_input: {},
      prompt_id: requestId,
      step_type: 'questions',
    });
    unit.answered = { entry, request, value: said };
  }
}

interface Asked {
  readonly unit: UnitScope;
  readonly request: OpenRequest;
}

function presentQuestion(writer: EventWriter, entry: JournalEntry, { unit, request }: Asked): void {
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
    step_type: 'questions',
  });
}

const ways: ReadonlySet<unknown> = new Set(['__back__', '__skip_all__', '__abort__']);

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
  if (word === undefined || word === '' || word === '__skip__') {
    const asked = Array.isArray(began['questions']) ? began['questions'].map(objectOf) : [];
    return asked.find(({ id }) => id === question)?.['default'] === undefined ? 'skipped' : 'default';
  }
  return request.options?.some((option) => option.value === value) === true ? 'choice' : 'free_text';
}

interface Spoken extends Asked {
  readonly role: 'agent' | 'user';
  readonly content: string;
}

function speak(writer: EventWriter, entry: JournalEntry, { unit, request, role, content }: Spoken): void {
  const { workflow, step } = unit;
  if (unit.dialog === undefined) {
    unit.dialog = { id: request.id, turns: 0 };
    writer.write(workflow, entry, 'dialog_started', {
      dialog_id: unit.dialog.id,
      agent_name: step,
      opening_question: content,
    });
  }
  unit.dialog.turns += 1;
  const message: JsonObject = { dialog_id: unit.dialog.id, agent_name: step, role, content };
  writer.write(workflow, entry, 'dialog_message', message);
}

/** The dialog of a step is over when the step goes on. */
export function endDialog(writer: EventWriter, entry: JournalEntry, unit: UnitScope): void {
  const { dialog, workflow, step } = unit;
  unit.dialog = undefined;
  if (dialog === undefined) return;
  writer.write(workflow, entry, 'dialog_completed', {
    dialog_id: dialog.id,
    agent_name: step,
    turn_count: dialog.turns,
  });
}
