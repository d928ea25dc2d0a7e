import { journalPage } from '../../../cli/src/dashboard/reads/journal-page.js';
import type { Conversation } from '../../../cli/src/dashboard/view/conversation.js';
import type { ReportData } from '../../../cli/src/report/report-data.js';

type Answer = (path: string) => Promise<Response>;

/** Answers the questions of the page from what the file carries, in the words of the API. */
export function reportTransport(data: ReportData): Answer {
  return async (address) => {
    const { pathname, searchParams } = new URL(address, 'http://report');
    const body = bodyOf(data, pathname, searchParams);
    if (body !== undefined) return Response.json(body);
    const error = { code: 'NOT_IN_REPORT', message: 'This report does not have it; the dashboard does.' };
    return Response.json({ error }, { status: 404 });
  };
}

function bodyOf(data: ReportData, path: string, query: URLSearchParams): unknown {
  const run = `/api/runs/${encodeURIComponent(data.runId)}`;
  if (path === `${run}/journal` && data.journal !== undefined) return pageOfJournal(data.journal, query);
  const alone = path.startsWith(`${run}/journal/`) ? Number(path.slice(`${run}/journal/`.length)) : undefined;
  if (alone !== undefined) return data.journal?.find(({ seq }) => seq === alone);
  if (path === `${run}/conversation` && data.conversation !== undefined)
    return pageOfConversation(data.conversation, query);
  return Object.hasOwn(data.bodies, path) ? data.bodies[path] : undefined;
}

function pageOfJournal(journal: NonNullable<ReportData['journal']>, query: URLSearchParams): unknown {
  const types = query.get('type') ?? '';
  return journalPage(
    { journal },
    {
      after: numberOf(query, 'after') ?? 0,
      limit: numberOf(query, 'limit') ?? 200,
      type: types === '' ? [] : types.split(','),
      q: query.get('q') ?? '',
    },
    asItIs,
  );
}

/** The file was made without secrets. */
function asItIs(text: string): string {
  return text;
}

function pageOfConversation({ units, messages }: Conversation, query: URLSearchParams): Conversation {
  const path = query.get('path');
  const after = numberOf(query, 'after') ?? 0;
  const limit = numberOf(query, 'limit') ?? 200;
  const wanted = messages.filter((message) => message.seq > after && (path === null || message.path === path));
  const page = wanted.slice(0, limit);
  const last = page.at(-1);
  return { units, messages: page, ...(wanted.length > limit && last !== undefined && { next: last.seq }) };
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text === null ? undefined : Number(text);
}
