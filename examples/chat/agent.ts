import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { defineAgent, type LanguageModel, maxIterations, requireApproval, type ToolCallOptions } from 'fullstop';
import { z } from 'zod';
import { offlineModel } from './offline-model.js';

/** Who is signed in, and for which company: the context of the tools. */
export interface Member {
  readonly name: string;
  readonly tenant: string;
}

/** Stands for your table of users. */
export const members: ReadonlyMap<string, Member> = new Map([
  ['ann', { name: 'Ann', tenant: 'Acme' }],
  ['bo', { name: 'Bo', tenant: 'Globex' }],
]);

/** Stands for your orders. */
const orders = new Map([
  ['Acme/1001', { item: 'Anvil', price: '€ 120', state: 'in transit, arrives on Friday' }],
  ['Acme/1002', { item: 'Rocket skates', price: '€ 349', state: 'delivered on Monday' }],
  ['Globex/1001', { item: 'Orbital mirror', price: '€ 9,900', state: 'being built' }],
]);

/** Stands for your payment provider: it pays once for a key, however often it is asked. */
const payments = new Map<string, string>();
function payBack(amount: string, key: string): { readonly refunded: string; readonly receipt: string } {
  const receipt = payments.get(key) ?? `R-${payments.size + 501}`;
  payments.set(key, receipt);
  return { refunded: amount, receipt };
}

const order = z.string().describe('The number of the order, such as 1001');

export const agent = defineAgent({
  name: 'support',
  instructions: 'You help with orders. Look an order up before you talk about it. Refund an order when asked to.',
  model: chooseModel(),
  tools: {
    find_order: {
      description: 'Looks up an order of the company',
      inputSchema: z.object({ order }),
      execute: (input, { context }: ToolCallOptions<Member>) =>
        orders.get(`${context.tenant}/${input.order}`) ?? `${context.tenant} has no order ${input.order}.`,
    },
    refund_order: requireApproval({
      description: 'Pays an order back',
      inputSchema: z.object({ order }),
      execute: (input, { context, idempotencyKey }: ToolCallOptions<Member>) => {
        const found = orders.get(`${context.tenant}/${input.order}`);
        if (found === undefined) return `${context.tenant} has no order ${input.order}.`;
        // The key of this call is the same after a crash in the middle of it.
        return payBack(found.price, idempotencyKey);
      },
    }),
  },
  stopWhen: maxIterations(8),
  // Asked for each run, also for one that this process finds after a restart. A chat is `<user>.<id>`, and its turns `<user>.<id>/turn-<n>`.
  context: ({ runId }) => {
    const member = members.get(runId.split('.')[0] ?? '');
    if (member === undefined) throw new Error(`${runId} belongs to nobody`);
    return member;
  },
});

/** A provider when there is a key for one, else a model that needs none. */
function chooseModel(): LanguageModel {
  const { ANTHROPIC_API_KEY, OPENAI_API_KEY, CHAT_MODEL } = process.env;
  if (ANTHROPIC_API_KEY) return createAnthropic()(CHAT_MODEL ?? 'claude-sonnet-4-5');
  if (OPENAI_API_KEY) return createOpenAI().chat(CHAT_MODEL ?? 'gpt-5-mini');
  return offlineModel();
}
