import { defineAgent, handOff, match, maxIterations } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';

const model = scriptedModel({
  triage: [{ toolCalls: [{ tool: 'billing', input: { reason: 'a wrong invoice' } }] }],
  billing: [
    { toolCalls: [{ tool: 'findInvoice', input: { id: 7 } }] },
    { toolCalls: [{ tool: 'findInvoice', input: { id: 8 } }] },
    { text: 'Invoice 8 was charged twice; the second charge is refunded.' },
  ],
});

const findInvoice = { execute: ({ id }: { id: number }) => ({ id, charges: id === 8 ? 2 : 1 }) };
const billing = defineAgent({ name: 'billing', model, tools: { findInvoice }, stopWhen: [maxIterations(1)] });
const triage = defineAgent({
  name: 'triage',
  model,
  instructions: 'Hand over to whoever can help.',
  tools: { billing: handOff(billing, { description: 'For questions about invoices' }) },
});

// One run: the ending of the agent that has the conversation is the run's, and each part keeps its own.
const first = await triage.run('I was charged twice');
console.log(first.termination);
for (const { name, termination, usage } of first.children) console.log(name, termination.kind, usage?.totalTokens);

// A resume continues with the agent that was at work, and what it changes is for that one.
const ended = await first.resume({ stopWhen: [maxIterations(5)] });
console.log(match(ended.termination, { natural_end: () => ended.text, _: ({ kind }) => kind }));
