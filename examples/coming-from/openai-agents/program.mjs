import { run } from '@openai/agents';
import { loopDetection } from 'fullstop';
import { withEnding } from 'fullstop/adapters/openai-agents';
import { makeAgent } from './agent.mjs';

// Before: an exception after ten turns, and nothing of what happened.
await run(makeAgent(), 'Read it').catch((error) => console.log(error.name));

// After: the same call with one typed ending.
const { termination } = await withEnding(run, [makeAgent(), 'Read it'], { stopWhen: [loopDetection()] });
console.log(termination.kind, termination.cycle.length, termination.repeats);
