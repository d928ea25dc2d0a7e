import type { OpenRequest } from 'fullstop';
import { localTime, relativeTime } from '../journal/value-text.js';
import { oneLine } from '../terminal/foreign-text.js';
import { shellWord } from '../terminal/shell-word.js';
import type { Style } from '../terminal/style.js';
import { answerAction, withStoreOption } from '../why/next-actions.js';
import { choicesOf, fieldBeside, questionOf } from '../why/request-question.js';

/** The open requests of a run, with the command that answers each. */
export function requestsText(
  runId: string,
  requests: readonly OpenRequest[],
  { style, now, store }: { readonly style: Style; readonly now: number; readonly store: string | undefined },
): string {
  const lines = requests.flatMap((request) => {
    const { id, path, type, openedAt, deadline, answerers } = request;
    const choices = choicesOf(request);
    return [
      `${style.bold(id)}  ${oneLine(questionOf(request))}`,
      style.dim(
        `  ${type}${path === '' ? '' : ` in ${path}`} · asked ${relativeTime(openedAt, now)}${deadline === undefined ? '' : ` · until ${localTime(deadline)} (${relativeTime(deadline, now)})`}${answerers === undefined ? '' : ` · for ${answerers.join(', ')}`}`,
      ),
      ...(choices.length === 0 ? [] : [`  choices: ${choices.map((choice) => withField(request, choice)).join(', ')}`]),
      `  ${style.cyan(withStoreOption(answerAction(shellWord(runId), request), store).command ?? '')}`,
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** A choice that asks for more says how to provide it. */
function withField(request: OpenRequest, choice: string): string {
  const field = fieldBeside(request, choice);
  return field === undefined ? choice : `${choice} (with --field ${field.name}=TEXT)`;
}
