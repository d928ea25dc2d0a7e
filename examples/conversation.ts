import { approve, defineAgent, FullstopError, memoryEngine, requireApproval } from 'fullstop';
import { conversation } from 'fullstop/conversation';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const refund = {
  description: 'Pays an order back',
  inputSchema: z.object({ order: z.string() }),
  execute: async ({ order }: { order: string }) => ({ refunded: order }),
};

const agent = defineAgent({
  name: 'support',
  model: scriptedModel([
    { text: 'Which order is it?' },
    { toolCalls: [{ tool: 'refund', input: { order: 'A7' }, id: 'call_1' }] },
    { text: 'A7 is refunded.' },
    { text: 'Order A7 came on Monday.' },
  ]),
  tools: { refund: requireApproval(refund) },
});

// With SQLite the same conversation is there in every process, and after every restart.
const chat = conversation('chat-1', { agent, engine: memoryEngine() });

// Each turn is a run with its own ending.
const asked = await chat.send('I want my money back');
console.log(asked.runId, asked.termination.kind, '·', asked.text);

const paused = await chat.send('Order A7');
console.log(paused.runId, paused.termination.kind);

// One turn at a time: the one that waits for a person keeps its place.
const refused = await chat.send('Hello?').catch((error: unknown) => error);
console.log(refused instanceof FullstopError && [refused.code, refused.details]);

// The answer continues the same turn.
const paid = await chat.resume({ answers: { call_1: approve({ by: 'maria' }) } });
console.log(paid.runId, paid.termination.kind, '·', paid.text);

// Another question in the place of the second turn; the first attempt stays as a branch.
await chat.edit(2, 'When did A7 arrive?');
for (const { conversation: place, said, kind, isCurrent } of await chat.turns())
  console.log(place.turn, isCurrent ? 'current' : 'branch', said[0]?.content, kind);
console.log((await chat.messages()).map(({ role }) => role));
