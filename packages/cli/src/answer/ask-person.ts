import type { JsonValue, OpenRequest, RequestAnswer } from 'fullstop';
import { harmless, oneLine } from '../terminal/foreign-text.js';
import { choicesOf, fieldBeside, isTextSchema, questionOf } from '../why/request-question.js';

/** Asks a person at the terminal; undefined when they leave it open. Loaded only where someone is there to ask. */
export async function askPerson(request: OpenRequest, by: string): Promise<RequestAnswer | undefined> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const message = harmless(questionOf(request));
  const output = process.stderr;
  if (request.type === 'client_tool') return askForResult(request, by);
  const choices = optionsOf(request);
  if (choices.length === 0) {
    const value = await text({ message, output });
    return isCancel(value) ? undefined : { decision: 'value', value, by };
  }
  const chosen = await select({ message, options: choices, output });
  if (isCancel(chosen)) return undefined;
  if (chosen === approve) return { decision: 'approve', by };
  if (chosen === deny) return { decision: 'deny', by };
  if (chosen === free) {
    const value = await text({ message: 'Your answer', output });
    return isCancel(value) ? undefined : { decision: 'value', value, by };
  }
  const field = fieldBeside(request, chosen);
  if (field === undefined) return { decision: 'value', value: chosen, by };
  const said = await text({ message: harmless(field), output });
  if (isCancel(said)) return undefined;
  return { decision: 'value', value: { selected: chosen, additional_input: { [field]: said } }, by };
}

/** Asks whoever has performed a tool for its result, or why there is none. */
async function askForResult(request: OpenRequest, by: string): Promise<RequestAnswer | undefined> {
  const { isCancel, select, text } = await import('@clack/prompts');
  const output = process.stderr;
  const options = [
    { value: 'result', label: 'Enter its result' },
    { value: 'failed', label: 'It failed' },
  ];
  const chosen = await select({ message: harmless(questionOf(request)), options, output });
  if (isCancel(chosen)) return undefined;
  const isResult = chosen === 'result';
  const isText = isTextSchema(request.schema);
  const said = await text({ message: isResult ? `The result${isText ? '' : ', as JSON or text'}` : 'Why?', output });
  if (isCancel(said)) return undefined;
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

interface Choice {
  readonly value: string;
  readonly label: string;
}

function optionsOf(request: OpenRequest): Choice[] {
  const offered = (request.options ?? []).map(({ value, label }) => ({ value, label: oneLine(label ?? value) }));
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
