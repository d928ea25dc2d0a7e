import { defineAgent, isolate } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// The function is named by its module: it runs in a thread of its own, and closures cannot cross to it.
const matchPattern = isolate({
  module: new URL('./isolated-tool/match-pattern.mjs', import.meta.url),
  export: 'matchPattern',
  timeoutMs: 5000,
});

const text = `${'a'.repeat(50)}!`;
const searcher = defineAgent({
  name: 'searcher',
  model: scriptedModel([
    { toolCalls: [{ tool: 'match', input: { pattern: '^a+!$', text } }] },
    { toolCalls: [{ tool: 'match', input: { pattern: '(', text } }] },
    // Takes years on this text, and no timer of its thread would ever be called.
    { toolCalls: [{ tool: 'match', input: { pattern: '^(a+)+$', text } }] },
    { text: 'The first pattern matches; the others are of no use.' },
  ]),
  tools: {
    match: {
      inputSchema: z.object({ pattern: z.string(), text: z.string() }),
      execute: (input, { signal }) => matchPattern(input, { signal }),
    },
  },
});

const result = await searcher.run('Which pattern matches?');
for (const { output, error } of result.toolCalls) console.log(error?.code ?? error?.name ?? 'matched', output);
console.log(result.termination, result.text);
