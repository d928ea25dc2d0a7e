import { defineAgent, goal, maxIterations } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// The workspace is the memory: each iteration sees its content, and nothing of the earlier conversation.
const chapters = new Map<string, string>();
const wanted = ['plot', 'people', 'ending'];

const write = {
  description: 'Writes a chapter',
  inputSchema: z.object({ chapter: z.string(), text: z.string() }),
  execute: async ({ chapter, text }: { chapter: string; text: string }) => {
    chapters.set(chapter, text);
    return `${chapter} is written`;
  },
};

const author = defineAgent({
  name: 'author',
  model: scriptedModel(wanted.map((chapter) => ({ toolCalls: [{ tool: 'write', input: { chapter, text: '…' } }] }))),
  instructions: 'You write one chapter at a time.',
  tools: { write },
  promptFor: ({ iteration, toolCalls }) => {
    const missing = wanted.filter((chapter) => !chapters.has(chapter));
    console.log(`iteration ${iteration}: ${missing.length} missing, ${toolCalls.length} calls before`);
    return `Written: ${[...chapters.keys()].join(', ') || 'nothing'}. Write ${missing[0]}.`;
  },
  roundsPerIteration: 1,
  goal: goal(() => chapters.size === wanted.length),
  stopWhen: [maxIterations(10)],
});

const result = await author.run('Write a book');
console.log(result.termination, result.toolCalls.length, 'calls,', result.messages.length, 'messages at the end');
