import { loopDetection } from 'fullstop';
import { withEnding } from 'fullstop/adapters/langgraph';
import { makeAgent } from './agent.mjs';

const asked = { messages: [{ role: 'user', content: 'Read it' }] };

// Before: an exception that counts super-steps, and nothing of what happened.
await makeAgent()
  .invoke(asked)
  .catch((error) => console.log(error.name));

// After: the same call with one typed ending.
const { termination } = await withEnding(makeAgent(), [asked], { stopWhen: [loopDetection()] });
console.log(termination.kind, termination.cycle.length, termination.repeats);
