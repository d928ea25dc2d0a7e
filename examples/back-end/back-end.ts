import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { approve, defineAgent, deny, handleSignals, requireApproval, type ToolCallOptions } from 'fullstop';
import { RunIdConflict } from 'fullstop/engine';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { deliverNotices } from 'fullstop/notices';
import { createTelemetry, instrument } from 'fullstop/telemetry';
import { scriptedModel } from 'fullstop/testing';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';

// Two processes on one file, any number of each:
//   back-end.ts serve   answers requests: start, follow, answer, cancel. It executes no run, so that a deploy of it disturbs none.
//   back-end.ts work    executes the runs and delivers the notices of their endings.
const { STORE = 'back-end.db', PORT = '3000', WEBHOOK_URL, WEBHOOK_SECRET, FINISH_MS = '0' } = process.env;
const role = process.argv[2] === 'work' ? 'work' : 'serve';

const exporter = new PrometheusExporter({ preventServerStart: true });
const telemetry = createTelemetry({ meterProvider: new MeterProvider({ readers: [exporter] }) });
const engine = instrument(sqliteEngine(STORE), telemetry);

// Offline: what it says follows from the conversation alone, so that any process can continue it. Put your model here.
const model = scriptedModel(({ options: { prompt } }) => {
  const results = prompt.filter(({ role }) => role === 'tool').length;
  if (results < 3) return { toolCalls: [{ tool: 'look_up', input: { page: results + 1 }, id: `page-${results + 1}` }] };
  if (results === 3) return { toolCalls: [{ tool: 'pay', input: { amount: 120 }, id: 'payment' }] };
  return { text: 'The invoice is settled.' };
});

// Stands in for the systems behind the tools: a line for every call that reached them.
async function callOutside(input: object, { runId, idempotencyKey }: ToolCallOptions): Promise<object> {
  const receipt = { ...input, runId, idempotencyKey, id: crypto.randomUUID() };
  appendFileSync(`${STORE}.calls`, `${JSON.stringify(receipt)}\n`);
  await pause(20);
  return receipt;
}

const agent = defineAgent({
  name: 'invoices',
  model,
  instructions: 'Find the invoice, then pay it.',
  tools: {
    look_up: { inputSchema: z.object({ page: z.number() }), execute: callOutside },
    // The bank knows the key, so a repeat does no harm. Without that, leave `idempotent` out: a payment whose outcome was lost is then asked about.
    pay: requireApproval({ inputSchema: z.object({ amount: z.number() }), execute: callOutside, idempotent: true }),
  },
  onEnding: ['webhook'],
});

const app = new Hono();
app.get('/metrics', async (c) => {
  telemetry.flush();
  return c.text(new PrometheusSerializer().serialize((await exporter.collect()).resourceMetrics));
});

const taskSchema = z.string().trim().min(1, 'The body must be the task, as text.');
const cursorSchema = z.coerce.number().int().min(0);
const answerSchema = z.object({ approved: z.boolean(), by: z.string() });

if (role === 'serve') {
  // Who may do what is up to middleware in front of these routes.
  app.onError((error, c) => {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return c.json({ error: error.message }, 400);
    console.error(error);
    return c.json({ error: 'Something went wrong.' }, 500);
  });

  app.put('/runs/:id', async (c) => {
    const input = taskSchema.parse(await c.req.text());
    const status = await engine
      .start({ runId: c.req.param('id'), name: agent.name, version: agent.version, input })
      .catch((error: unknown) => (error instanceof RunIdConflict ? 'conflict' : Promise.reject(error)));
    return c.json({ status }, ({ started: 202, exists: 200, conflict: 409 } as const)[status]);
  });

  app.get('/runs/:id', async (c) => {
    const summary = await engine.summary(c.req.param('id'));
    if (summary === undefined) return c.json({ error: 'There is no such run.' }, 404);
    return c.json({ ...summary, requests: await engine.openRequests(summary.runId) });
  });

  // The journal as it grows. A client that lost the connection continues after the last id it saw; 204 tells it not to come back.
  app.get('/runs/:id/events', async (c) => {
    const runId = c.req.param('id');
    const after = cursorSchema.parse(c.req.header('last-event-id') ?? 0);
    if ((await engine.summary(runId)) === undefined) return c.json({ error: 'There is no such run.' }, 404);
    const ending = await engine.ending(runId);
    const [last] = await engine.journal(runId, { newest: 1 });
    if (ending !== undefined && ending.category !== 'paused' && last?.seq === after) return c.body(null, 204);
    return streamSSE(c, async (stream) => {
      const left = new AbortController();
      stream.onAbort(() => left.abort());
      for await (const entry of agent.follow(runId, { engine, after, signal: left.signal }).events())
        await stream.writeSSE({ id: String(entry.seq), event: entry.type, data: JSON.stringify(entry) });
    });
  });

  app.post('/runs/:id/answers/:request', async (c) => {
    const { approved, by } = answerSchema.parse(JSON.parse(await c.req.text()));
    const answer = approved ? approve({ by }) : deny({ by });
    const receipt = await engine.answer(c.req.param('id'), c.req.param('request'), answer);
    const statuses = { delivered: 200, unknown: 404, already: 409, expired: 409, ended: 409 } as const;
    return c.json(receipt, statuses[receipt.status]);
  });

  app.delete('/runs/:id', async (c) => {
    const status = await engine.cancel(c.req.param('id'), { by: 'operator', reason: 'cancelled over HTTP' });
    return c.json({ status }, ({ requested: 202, ended: 409, unknown: 404 } as const)[status]);
  });
}

const server = serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) => console.log(`${role} on ${port}`));
const worker = role === 'work' ? engine.worker([agent]) : undefined;
const targets = WEBHOOK_URL
  ? { webhook: { url: WEBHOOK_URL, ...(WEBHOOK_SECRET && { secret: WEBHOOK_SECRET }) } }
  : { webhook: console.log };
const delivery = deliverNotices(engine, { targets });
if (role === 'work') delivery.start();

// A deploy: runs may end by themselves for FINISH_MS, then the calls under way may; the next process continues what is left.
const { signal, ended, parked } = await handleSignals({
  policy: 'park',
  finishMs: Number(FINISH_MS),
  ...(worker && { worker }),
}).stopped;
console.log(`${signal}: ${ended.length} ended, ${parked.length} left to others`);
await delivery.stop();
server.close();
'closeAllConnections' in server && server.closeAllConnections();
await engine.close();
