import { defineAgent, FullstopError, memoryEngine, requireApproval, type ToolCallOptions } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

interface Session {
  readonly tenant: string;
  readonly token: string;
}

// Stands for the table of sessions of a product, from which resumes and workers get the context of a run.
const sessions = new Map<string, Session>([['order-7', { tenant: 'acme', token: 'token-after-lunch' }]]);

const orders = defineAgent({
  name: 'orders',
  model: scriptedModel([
    { toolCalls: [{ tool: 'find', input: { order: 7 }, id: 'call_1' }] },
    { toolCalls: [{ tool: 'refund', input: { order: 7 }, id: 'call_2' }] },
    { text: 'Order 7 is refunded.' },
  ]),
  tools: {
    // The schemas give the parameters their types; a run whose context does not fit is refused before it starts.
    find: {
      inputSchema: z.object({ order: z.number() }),
      contextSchema: z.object({ tenant: z.string() }),
      execute: ({ order }, { context, iteration }) => `order ${order} of ${context.tenant}, iteration ${iteration}`,
    },
    // Or the tool names the type of its context: the agent needs what all its tools need.
    refund: requireApproval({
      inputSchema: z.object({ order: z.number() }),
      execute: ({ order }, { context, idempotencyKey }: ToolCallOptions<Session>) => {
        console.log(`refunding order ${order} with ${context.token}${idempotencyKey === '' ? '' : ', at most once'}`);
        return 'refunded';
      },
    }),
  },
  context: async ({ runId }) => {
    const session = sessions.get(runId);
    if (session === undefined) throw new Error(`nobody is signed in for ${runId}`);
    return session;
  },
});

const engine = memoryEngine();
const context: Session = { tenant: 'acme', token: 'token-of-the-morning' };
const paused = await orders.run('Refund order 7', { engine, runId: 'order-7', context });
console.log(paused.termination.kind, paused.toolCalls[0]?.output);

// Days later, in another process: the definition makes the context, with a token that is valid then.
const ended = await orders.resume('order-7', { engine, answers: { call_2: { decision: 'approve' } } });
console.log(ended.termination, ended.text);
const journal = JSON.stringify(await ended.journal());
console.log('the journal has a token:', journal.includes('token-'));

// A run that needs a context and has none does not start.
const bare = defineAgent({
  name: 'bare',
  model: scriptedModel([{ text: 'never said' }]),
  tools: { look: { needsContext: true, execute: () => 1 } },
});
const refused = await bare.run('Look').catch((error: unknown) => error);
console.log(refused instanceof FullstopError && refused.code);
