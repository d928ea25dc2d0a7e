import { query } from '@anthropic-ai/claude-agent-sdk';
import { loopDetection } from 'fullstop';
import { withEnding } from 'fullstop/adapters/claude-agent-sdk';
import { close, options } from './agent.mjs';

// Before: a result message after six turns, and then an exception.
try {
  for await (const message of query({ prompt: 'Read it', options: { ...options, maxTurns: 6 } }))
    if (message.type === 'result') console.log(message.terminal_reason);
} catch (error) {
  console.log(error.message);
}

// After: the same call with one typed ending.
const { termination } = await withEnding(query, { prompt: 'Read it', options }, { stopWhen: [loopDetection()] });
console.log(termination.kind, termination.cycle.length, termination.repeats);
close();
