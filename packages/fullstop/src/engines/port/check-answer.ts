import { found } from '../../termination/check.js';
import { defaultLimits, firstNonJson, measure } from '../../termination/codec/measure.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { isStorable } from '../../termination/text/storable-text.js';
import { misfitOf } from './json-misfit.js';
import type { RequestAnswer, RunRequest } from './request.js';

const decisions: readonly RequestAnswer['decision'][] = ['approve', 'deny', 'value'];
const fields: readonly (keyof RequestAnswer)[] = ['decision', 'value', 'reason', 'by'];

/** Refuses what is no answer, before anything of it is consumed: what nobody decided must never count as a yes. */
export function checkAnswer(requestId: string, answer: unknown): asserts answer is RequestAnswer {
  const problem = problemOf(answer);
  if (problem === undefined) return checkJson(requestId, (answer as RequestAnswer).value);
  throw invalidAnswer(
    requestId,
    problem,
    "An answer is { decision: 'approve' | 'deny' | 'value', value?, reason?, by? }, as approve() and deny() make it.",
  );
}

/** The body must see what the journal holds, on every engine. How large a value is does not matter here. */
function checkJson(requestId: string, value: unknown): void {
  if (value === undefined) return;
  const obstacle = measure(value, { ...defaultLimits, bytes: Number.POSITIVE_INFINITY });
  if (obstacle === undefined) return;
  const { path, message } = firstNonJson(value) ?? { path: '', message: 'nested too deep, or a cycle' };
  const place = path === '' ? 'its value' : `its value at ${path}`;
  throw new FullstopError(
    'NOT_JSON',
    `The answer to ${JSON.stringify(requestId)} was refused: ${place}: ${message}. Nothing was consumed, so it can be answered again.`,
    { issues: [{ code: 'invalid', path, message }] },
  );
}

/** Refuses a set of answers by the ids of their requests if one of them is none. */
export function checkAnswers(answers: unknown): void {
  if (answers === undefined) return;
  if (!isObject(answers)) {
    throw new FullstopError(
      'INVALID_ANSWER',
      `answers is ${found(answers)}; it must be an object of answers by the id of their request, such as { call_7: approve() }.`,
    );
  }
  for (const [requestId, answer] of Object.entries(answers)) checkAnswer(requestId, answer);
}

/** Refuses an answer that does not fit the request, or whose sender may not answer it. */
export function checkAnswerTo(request: RunRequest, answer: RequestAnswer): void {
  const { id, answerers } = request;
  const { by, decision } = answer;
  if (answerers !== undefined && (by === undefined || !answerers.includes(by))) {
    const who = by === undefined ? 'it does not say by whom it is' : `it is by ${JSON.stringify(by)}`;
    throw invalidAnswer(id, who, `Only ${answerers.join(', ')} may answer; say who it is with by.`);
  }
  if (decision === 'value' && isYesOrNo(request))
    throw invalidAnswer(id, 'it is a value, and neither a yes nor a no', yesOrNo(request));
  if (decision === 'deny') return;
  if (decision === 'approve' && request.type === 'client_tool')
    throw invalidAnswer(id, 'it approves, but has no result', resultWanted);
  checkChoice(request, answer);
  const misfit = request.schema === undefined ? undefined : misfitOf(answer.value, request.schema);
  if (misfit !== undefined)
    throw invalidAnswer(id, misfit, `Its value must fit the schema ${JSON.stringify(request.schema)}.`);
}

function problemOf(answer: unknown): string | undefined {
  if (!isObject(answer)) return `it is ${found(answer)}`;
  const { decision, reason, by } = answer;
  if (decision === undefined) return 'it has no decision';
  if (!(decisions as readonly unknown[]).includes(decision)) return `its decision is ${found(decision)}`;
  if (reason !== undefined && typeof reason !== 'string') return `its reason is ${found(reason)}, not a text`;
  if (by !== undefined && typeof by !== 'string') return `its by is ${found(by)}, not a text`;
  if (by !== undefined && !isStorable(by)) return `its by is ${found(by)}, with NUL or half of a surrogate pair`;
  const other = Object.keys(answer).find((name) => !(fields as readonly string[]).includes(name));
  return other === undefined ? undefined : `it has a field ${JSON.stringify(other)}`;
}

/** True where a value alone would have to be taken for a yes. */
function isYesOrNo({ type, tool }: RunRequest): boolean {
  return type === 'confirm_outcome' || (type === 'approval' && tool !== undefined);
}

function yesOrNo({ type }: RunRequest): string {
  return type === 'confirm_outcome'
    ? 'Approve if it happened (with its result as the value), deny if it did not.'
    : 'Approve the call (with other arguments as the value, if need be) or deny it.';
}

const resultWanted =
  "Give the tool's result as the value, as toolResult(value) does, or say that it failed, as toolError(message) does.";

/** A choice is the value or the label of an option, alone or as `selected` with more beside it. */
function checkChoice(request: RunRequest, { value }: RequestAnswer): void {
  const { id, options = [], otherAnswers } = request;
  if (options.length === 0 || otherAnswers === true) return;
  const selected = isObject(value) ? value['selected'] : value;
  const chosen =
    options.find(({ value: word }) => word === selected) ??
    options.find(({ value: word, label = word }) => label === selected);
  if (chosen !== undefined) {
    checkBeside(request, chosen.value, value);
    return;
  }
  const offered = options.map((option) => JSON.stringify(option.value)).join(', ');
  throw invalidAnswer(id, `it chooses ${found(selected)}`, `Its value must be one of ${offered}.`);
}

/** Where a gate says which text each choice asks for, another name is misspelt: what was said under it would be lost. */
function checkBeside({ id, input }: RunRequest, choice: string, value: JsonValue | undefined): void {
  const given = isObject(value) ? value['additional_input'] : undefined;
  const asked = isObject(input) ? input['additional_input'] : undefined;
  if (!isObject(given) || !isObject(asked)) return;
  const field = Object.hasOwn(asked, choice) ? asked[choice] : undefined;
  const name = isObject(field) ? field['name'] : undefined;
  const other = Object.keys(given).find((each) => each !== name);
  if (other === undefined) return;
  const wanted = typeof name === 'string' ? `asks for ${JSON.stringify(name)} alone` : 'asks for no text';
  throw invalidAnswer(
    id,
    `it has a text for ${JSON.stringify(other)}`,
    `The choice ${JSON.stringify(choice)} ${wanted}.`,
  );
}

function invalidAnswer(requestId: string, problem: string, advice: string): FullstopError {
  return new FullstopError(
    'INVALID_ANSWER',
    `The answer to ${JSON.stringify(requestId)} was refused: ${problem}. ${advice} Nothing was consumed, so it can be answered again.`,
    { issues: [{ code: 'invalid', path: requestId, message: problem }] },
  );
}
