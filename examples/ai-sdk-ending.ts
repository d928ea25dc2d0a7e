import { generateText, type LanguageModel, stepCountIs, tool } from 'ai';
import { describe, loopDetection, timeout } from 'fullstop';
import { withEnding } from 'fullstop/adapters/ai-sdk';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// Any model of the AI SDK. This one asks for the same page again and again.
const page = { toolCalls: [{ tool: 'open', input: { page: 1 } }] };
const model = (): LanguageModel => scriptedModel(Array.from({ length: 20 }, () => page)) as unknown as LanguageModel;
const open = tool({ inputSchema: z.object({ page: z.number() }), execute: async () => 'still loading' });

// Before: twenty steps, and a word that also stands for approvals, client tools and predicates.
const before = await generateText({ model: model(), tools: { open }, prompt: 'Read it', stopWhen: stepCountIs(20) });
console.log(before.finishReason, before.steps.length);

// After: the same call, its result untouched, and one typed ending with evidence.
const { termination, result } = await withEnding(
  generateText,
  { model: model(), tools: { open }, prompt: 'Read it', stopWhen: stepCountIs(20) },
  { stopWhen: [loopDetection(), timeout({ run: '2m' })] },
);
console.log(termination.kind, result?.steps.length);
console.log(describe(termination));
