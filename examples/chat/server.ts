/** A chat product: `npm run chat`. Everything that must survive is in one SQLite file, so this process may die at any time. */
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { createUIMessageStreamResponse, readUIMessageStream, type UIMessage } from 'ai';
import { type AgentStream, FullstopError, uiAnswers } from 'fullstop';
import { conversation, type Turn } from 'fullstop/conversation';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { z } from 'zod';
import { agent, type Member, members } from './agent.js';

const dist = join(import.meta.dirname, 'dist');
const engine = sqliteEngine(process.env['CHAT_FILE'] ?? join(dist, 'chat.db'));

// Continues the turns that a process before this one left unfinished: after a crash, a kill -9, a deploy.
engine.worker([agent]);

const app = new Hono<{ Variables: { user: string; member: Member } }>();

// Stands for your sign-in: the cookie names a user, and a chat belongs to the user whose name its id begins with.
app.use('/api/*', async (context, next) => {
  const user = getCookie(context, 'user') ?? 'ann';
  const member = members.get(user);
  if (member === undefined) return context.json({ code: 'NOT_SIGNED_IN' }, 401);
  context.set('user', user);
  context.set('member', member);
  return await next();
});

// Somebody else was first: another tab sent a message or gave the answer.
const conflicts = ['TURN_REFUSED', 'RESUME_CONFLICT'];
app.onError((error, context) => {
  if (error instanceof FullstopError)
    return context.json({ code: error.code }, conflicts.includes(error.code) ? 409 : 400);
  if (error instanceof z.ZodError || error instanceof SyntaxError) return context.json({ code: 'BAD_REQUEST' }, 400);
  console.error(error);
  return context.json({ code: 'INTERNAL' }, 500);
});

/** The body that the page sends: a message of the user, or the one of the agent with the user's answers in it. */
const Sent = z.object({
  id: z.string().regex(/^[\w-]{1,64}$/),
  trigger: z.enum(['submit-message', 'regenerate-message']),
  message: z.object({
    role: z.enum(['user', 'assistant']),
    parts: z.array(z.looseObject({ text: z.string().max(20_000).optional() })),
    metadata: z.unknown().optional(),
  }),
});

app.get('/api/me', (context) => context.json({ user: context.get('user'), ...context.get('member') }));

/** The messages so far. An answer that is being written is left out: `/stream` has it. */
app.get('/api/chats/:id', async (context) => {
  const turns = await open(context.get('user'), context.req.param('id')).turns();
  const messages = await Promise.all(turns.filter(({ isCurrent }) => isCurrent).map(messagesOf));
  return context.json(messages.flat());
});

/** The next turn, an answer to what the turn asks, or the last turn again. */
app.post('/api/chats', async (context) => {
  const { id, message, trigger } = Sent.parse(await context.req.json());
  const chat = open(context.get('user'), id);
  // A turn that another tab has stopped could be resumed too, but that is not what the user was asked.
  if (message.role === 'assistant')
    return respond(await chat.resumeStream({ answers: uiAnswers(message), onlyAfter: { category: 'paused' } }));
  const latest = (await chat.turns()).at(-1);
  const said = message.parts.map(({ text }) => text ?? '').join('\n');
  const isAgain = trigger === 'regenerate-message' && latest !== undefined;
  return respond(await chat.stream(said, isAgain ? { replaces: latest.conversation.turn } : {}));
});

/** The latest answer from its beginning, whoever writes it or has written it. */
app.get('/api/chats/:id/stream', async (context) => {
  const latest = (await open(context.get('user'), context.req.param('id')).turns()).at(-1);
  if (latest === undefined) return context.body(null, 204);
  return respond(agent.follow(latest.runId, { engine, signal: context.req.raw.signal }));
});

app.post('/api/chats/:id/stop', async (context) => {
  await open(context.get('user'), context.req.param('id')).stop('the user pressed stop');
  return context.body(null, 204);
});

app.use('/*', serveStatic({ root: dist }));
app.get('/*', serveStatic({ path: join(dist, 'page.html') }));

function open(user: string, id: string) {
  return conversation(`${user}.${id}`, { agent, engine });
}

/** A turn outlives its request: a page that goes away leaves it as it is. */
async function respond(stream: AgentStream): Promise<Response> {
  // Nothing has been sent yet, so a refusal still has a status of its own.
  await stream.ready;
  return createUIMessageStreamResponse({ stream: stream.toUIMessageStream() });
}

/** A turn as messages: what the user said, and the answer as a client that had followed it has it. */
async function messagesOf(turn: Turn): Promise<readonly UIMessage[]> {
  const text = turn.said.map(({ content }) => content).join('\n');
  const user: UIMessage = { id: `${turn.runId}/said`, role: 'user', parts: [{ type: 'text', text }] };
  if (!(await isAtRest(turn))) return [user];
  let answer: UIMessage = { id: turn.runId, role: 'assistant', parts: [] };
  const stream = agent.follow(turn.runId, { engine }).toUIMessageStream<ReadableStream>();
  for await (const next of readUIMessageStream({ stream, message: answer, onError: () => undefined })) answer = next;
  return [user, answer];
}

/** True for a turn that has ended or waits for an answer. */
async function isAtRest({ runId }: Turn): Promise<boolean> {
  return (await engine.ending(runId)) !== undefined;
}

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);
