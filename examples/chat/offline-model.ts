import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { type ScriptAnswer, scriptedModel } from 'fullstop/testing';

type Prompt = LanguageModelV3CallOptions['prompt'];

const returnPolicy = `You can send anything back within thirty days, and we pay the postage.

Pack it as it came, put the label from your account on the parcel, and hand it in at any counter. As soon as it has arrived with us we look at it, which takes a day or two, and pay you back the way you paid. Rocket skates must be empty: fuel does not travel by post.

Ask me to refund an order when you are ready.`;

/** Plays the part of a model, without a network or a key: it looks for a few words, calls tools, and speaks at a human pace. */
export function offlineModel(): LanguageModelV3 {
  const script = scriptedModel(({ options }) => answerTo(options.prompt as Prompt));
  return { ...script, doStream: async (options) => ({ stream: paced((await script.doStream(options)).stream) }) };
}

function answerTo(prompt: Prompt): ScriptAnswer {
  const last = prompt.at(-1);
  if (last?.role === 'tool') return { text: last.content.map(reportOf).join(' ') };
  const said = last?.role === 'user' ? last.content.map((part) => ('text' in part ? part.text : '')).join(' ') : '';
  const order = /\d+/.exec(said)?.[0];
  const call = (tool: string): ScriptAnswer => ({
    toolCalls: [{ tool, input: { order: order ?? '' }, id: randomUUID() }],
  });
  if (/refund/i.test(said) && order !== undefined)
    return { text: `I will refund order ${order}.`, ...call('refund_order') };
  if (order !== undefined) return { text: 'Let me look that up.', ...call('find_order') };
  if (/return|policy/i.test(said)) return { text: returnPolicy };
  return { text: 'I can look up an order, refund one, or explain how returns work. Which is it?' };
}

function reportOf(part: Extract<Prompt[number], { role: 'tool' }>['content'][number]): string {
  if (part.type !== 'tool-result' || part.output.type === 'execution-denied') return 'Then I leave it as it is.';
  const value = 'value' in part.output ? part.output.value : '';
  const { item, price, state, refunded, receipt } = Object(value) as Record<string, string>;
  if (item !== undefined) return `The ${item.toLowerCase()} for ${price} is ${state}.`;
  return receipt === undefined ? String(value) : `I paid ${refunded} back. Your receipt is ${receipt}.`;
}

/** One word after the other instead of everything at once. */
function paced(stream: ReadableStream<LanguageModelV3StreamPart>): ReadableStream<LanguageModelV3StreamPart> {
  const byWord = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
    async transform(part, controller) {
      const words = part.type === 'text-delta' ? (part.delta.match(/\S*\s*/g) ?? []) : [];
      if (words.length === 0) controller.enqueue(part);
      for (const delta of words) {
        await wait(30);
        controller.enqueue({ ...part, delta } as LanguageModelV3StreamPart);
      }
    },
  });
  return stream.pipeThrough(byWord);
}
