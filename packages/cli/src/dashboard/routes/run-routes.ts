import { z } from 'zod';
import { journalPageSchema, journalQuerySchema } from '../api/journal.js';
import type { RunRow } from '../api/run-row.js';
import { ApiError } from '../http/api-error.js';
import { type ApiRoute, jsonRoute, streamRoute } from '../http/route.js';
import { eventStream } from '../live/event-stream.js';
import { followRun } from '../live/follow-run.js';
import { journalPage } from '../reads/journal-page.js';
import { noRun } from '../reads/record-reader.js';
import type { RunPageView } from '../reads/run-pages.js';
import type { DashboardSurroundings } from '../surroundings.js';
import { type Banner, bannerOf } from '../view/banner.js';
import { tabRoutes } from './tab-routes.js';

const pollMs = 250;

const seq = z.coerce.number().int().nonnegative();
const afterSchema = z.strictObject({ after: seq.optional().describe('Leaves out the transitions up to this entry.') });
const runViewSchema = z
  .custom<RunPageView>()
  .meta({ id: 'RunView', description: 'Banner, explanation, graph, units and transitions of a run, with its row.' });

/** The beginning of the page of a run. */
interface RunHeadView {
  readonly row: RunRow;
  readonly banner: Banner;
}

const runHeadSchema = z.custom<RunHeadView>().meta({
  id: 'RunHeadView',
  description: 'The row of a run and its banner; whether its journal can be trusted is not known yet.',
});

/** The routes of one run. */
export function runRoutes(around: DashboardSurroundings): readonly ApiRoute[] {
  const { store, rows, pages, mask, closing } = around;
  const { engine } = store;
  const { reader } = pages;
  return [
    ...tabRoutes(around),
    jsonRoute({
      method: 'get',
      path: '/runs/:id',
      summary: 'The page of a run',
      query: afterSchema,
      response: runViewSchema,
      handle: ({ params, query: { after = 0 } }) => pages.pageOf(params['id'] ?? '', after),
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/head',
      summary: 'What the list of runs says about a run, before its journal is read and verified',
      response: runHeadSchema,
      handle: async ({ params }) => {
        const runId = params['id'] ?? '';
        const summary = await engine.summary(runId);
        if (summary === undefined) throw noRun(runId);
        const row = await rows.rowOf(summary);
        const ending = summary.damage === undefined ? await engine.ending(runId) : undefined;
        return { row, banner: bannerOf({ headline: row.sentence, waiting: row.requests, summary, ending }) };
      },
    }),
    jsonRoute({
      method: 'get',
      path: '/runs/:id/journal',
      summary: 'A page of the journal of a run',
      query: journalQuerySchema,
      response: journalPageSchema,
      // Damage is not hidden by hiding the journal: it is shown as it is.
      handle: async ({ params, query }) => {
        const runId = params['id'] ?? '';
        const record = await reader.read(runId);
        const journal = 'damage' in record ? await engine.journal(runId) : record.journal;
        return journalPage({ journal }, query, mask);
      },
    }),
    streamRoute({
      path: '/runs/:id/journal.jsonl',
      summary: 'The whole journal of a run, one entry a line, with secrets masked',
      response: 'application/x-ndjson',
      handle: ({ params }) => download(around, params['id'] ?? ''),
    }),
    streamRoute({
      path: '/runs/:id/events',
      summary: 'New entries of a run as they are appended; continues after the number in Last-Event-ID',
      query: afterSchema,
      response: 'text/event-stream',
      handle: async ({ params, query: { after = 0 }, headers, signal }) => {
        const runId = params['id'] ?? '';
        const { summary } = await reader.read(runId);
        const given = headers.get('last-event-id');
        const place = given === null ? after : seq.parse(given);
        const look = followRun(engine, { runId: summary.runId, after: place, rows, mask });
        return eventStream(look, { mask, signals: [signal, closing], pollMs });
      },
    }),
  ];
}

async function download({ store, mask }: DashboardSurroundings, runId: string): Promise<Response> {
  const { exportJournal } = await import('fullstop/journal');
  const lines = exportJournal(store.engine, runId);
  const first = await lines.next();
  if (first.done === true) throw new ApiError(`${runId} has no entries.`, { status: 404, code: 'RUN_NOT_FOUND' });
  const encoder = new TextEncoder();
  let line: string | undefined = first.value;
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (line === undefined) return controller.close();
      controller.enqueue(encoder.encode(`${mask(line)}\n`));
      const next = await lines.next();
      line = next.done === true ? undefined : next.value;
    },
  });
  const file = `${runId.replace(/[^\w.-]/g, '_')}.jsonl`;
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', 'content-disposition': `attachment; filename="${file}"` },
  });
}
