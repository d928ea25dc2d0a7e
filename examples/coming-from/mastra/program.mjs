import { loopDetection } from 'fullstop';
import { withEnding } from 'fullstop/adapters/mastra';
import { makeAgent } from './agent.mjs';

// Before: five steps, an empty text, and a word that says nothing.
const { finishReason, text } = await makeAgent().generate('Read it');
console.log(finishReason, JSON.stringify(text));

// After: the same call with one typed ending.
const { termination } = await withEnding(makeAgent(), ['Read it'], { stopWhen: [loopDetection()] });
console.log(termination.kind, termination.cycle.length, termination.repeats);
