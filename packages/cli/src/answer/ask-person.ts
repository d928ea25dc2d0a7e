import type { JsonValue, OpenRequest, RequestAnswer } from 'fullstop';
import { choicesOf, fieldBeside, hasSeveralLines, isTextSchema, questionOf } from '../why/request-question.js';
import { type Choice, openPrompts, type Prompts } from './prompts.js';

/** Asks a person at the terminal; undefined when they leave it open or it is withdrawn. Loaded only where someone is there to ask. */
export async function askPerson(
  request: OpenRequest,
  by: string,
  withdrawn?: AbortSignal,
): Promise<RequestAnswer | undefined> {
  const prompts = await openPrompts(withdrawn);
  try {
    return await (request.type === 'client_tool' ? askForResult : askForAnswer)(request, by, prompts);
  } finally {
    prompts.close();
  }
}

async function askForAnswer(request: OpenRequest, by: string, prompts: Prompts): Promise<RequestAnswer | undefined> {
  const message = questionOf(request);
  const severalLines = hasSeveralLines(request);
  const choices = optionsOf(request);
  const chosen = choices.length === 0 ? free : await prompts.choose(message, choices);
  if (chosen === undefined) return undefined;
  if (chosen === approve) return { decision: 'approve', by };
  if (chosen === deny) return { decision: 'deny', by };
  if (chosen === free) {
    const value = await prompts.write(choices.length === 0 ? message : 'Your answer', { severalLines });
    return value === undefined ? undefined : { decision: 'value', value, by };
  }
  const field = fieldBeside(request, chosen);
  if (field === undefined) return { decision: 'value', value: chosen, by };
  const said = await prompts.write(field.name, field);
  if (said === undefined) return undefined;
  return { decision: 'value', value: { selected: chosen, additional_input: { [field.name]: said } }, by };
}

/** Asks whoever has performed a tool for its result, or why there is none. */
async function askForResult(request: OpenRequest, by: string, prompts: Prompts): Promise<RequestAnswer | undefined> {
  const chosen = await prompts.choose(questionOf(request), [
    { value: 'result', label: 'Enter its result' },
    { value: 'failed', label: 'It failed' },
  ]);
  if (chosen === undefined) return undefined;
  const isResult = chosen === 'result';
  const isText = isTextSchema(request.schema);
  const said = await prompts.write(isResult ? `The result${isText ? '' : ', as JSON or text'}` : 'Why?', {
    severalLines: false,
  });
  if (said === undefined) return undefined;
  if (!isResult) return { decision: 'deny', reason: said, by };
  return { decision: 'value', value: isText ? said : jsonOrText(said), by };
}

/** JSON where it is JSON, else the text as it is. */
function jsonOrText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

const [approve, deny, free] = ['\u0000approve', '\u0000deny', '\u0000free'];

function optionsOf(request: OpenRequest): Choice[] {
  const offered = (request.options ?? []).map(({ value, label }) => ({ value, label: label ?? value }));
  switch (request.type) {
    case 'approval':
      return [
        { value: approve, label: 'Approve' },
        { value: deny, label: 'Deny' },
      ];
    case 'confirm_outcome':
      return [
        { value: approve, label: 'It happened' },
        { value: deny, label: 'It did not happen' },
      ];
    case 'gate':
      return offered.length > 0
        ? offered
        : [
            { value: approve, label: 'Approve' },
            { value: deny, label: 'Reject' },
          ];
    case 'input':
      return choicesOf(request).length === 0 ? [] : [...offered, { value: free, label: 'Something else…' }];
    default:
      return [];
  }
}
