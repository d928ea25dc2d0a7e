import type { JsonValue, OpenRequest, RequestAnswer } from 'fullstop';
import { suggestion } from '../command-line/suggestion.js';
import { UsageError } from '../command-line/usage-error.js';
import { choicesOf } from '../why/request-question.js';

/** The answer as given on the command line. */
export interface Said {
  readonly approve: boolean;
  readonly deny: boolean;
  readonly choose: string | undefined;
  readonly value: string | undefined;
  readonly 'value-json': string | undefined;
  /** `name=value`, for gates that ask for more than a choice. */
  readonly field: readonly string[];
  readonly note: string | undefined;
}

/** True when the command line holds an answer. */
export function saysSomething(said: Said): boolean {
  return (
    said.approve ||
    said.deny ||
    said.field.length > 0 ||
    [said.choose, said.value, said['value-json']].some((each) => each !== undefined)
  );
}

/** Makes the answer of what someone said, or says what is wrong with it. */
export function makeAnswer(request: OpenRequest, said: Said, by: string): RequestAnswer {
  refuseOthers(request, by);
  const ways = [
    said.approve,
    said.deny,
    said.choose !== undefined,
    said.value !== undefined,
    said['value-json'] !== undefined,
  ].filter(Boolean);
  if (ways.length !== 1)
    throw new UsageError('Pass exactly one of --approve, --deny, --choose, --value and --value-json.', {
      command: 'answer',
    });
  if (said.approve && request.type === 'client_tool')
    throw new UsageError(
      `${JSON.stringify(request.id)} asks for the result of ${request.tool ?? 'a tool'}, not for approval. Pass it with --value or --value-json, or pass --deny --note WHY if it failed.`,
    );
  const note = said.note === undefined ? {} : { reason: said.note };
  if (said.deny) return { decision: 'deny', by, ...note };
  if (said.approve && choicesOf(request).length === 0) return { decision: 'approve', by, ...note, ...edited(said) };
  return { decision: 'value', value: saidValue(request, said), by, ...note };
}

/** Refuses whoever is not on a request's list of those who may answer. */
export function refuseOthers({ id, answerers }: OpenRequest, by: string): void {
  if (answerers === undefined || answerers.includes(by)) return;
  throw new UsageError(
    `${JSON.stringify(id)} may be answered by ${answerers.join(', ')}, not by ${by}. Say who you are: --by NAME.`,
  );
}

function edited({ field }: Said): { readonly value?: JsonValue } {
  return field.length === 0 ? {} : { value: fieldsOf(field) };
}

function saidValue(request: OpenRequest, said: Said): JsonValue {
  if (said['value-json'] !== undefined) return parsed(said['value-json']);
  if (said.value !== undefined) return said.value;
  const chosen = choiceOf(request, said.approve ? 'approve' : (said.choose ?? ''));
  return said.field.length === 0 ? chosen : { selected: chosen, additional_input: fieldsOf(said.field) };
}

function choiceOf(request: OpenRequest, word: string): string {
  const choices = choicesOf(request);
  const options = request.options ?? [];
  const option = options.find(({ value }) => value === word) ?? options.find(({ label }) => label === word);
  if (option !== undefined) return option.value;
  if (choices.length === 0) return word;
  throw new UsageError(
    `${JSON.stringify(word)} is not a choice of ${JSON.stringify(request.id)}${suggestion(word, choices)}; it offers ${choices.join(', ')}.`,
  );
}

function fieldsOf(fields: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    fields.map((field) => {
      const sign = field.indexOf('=');
      if (sign < 1)
        throw new UsageError(
          `--field needs a name and a value, such as --field reason=late, not ${JSON.stringify(field)}.`,
        );
      return [field.slice(0, sign), field.slice(sign + 1)];
    }),
  );
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError(`--value-json is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
