import { describe, goal, loopDetection, maxIterations, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';

let passing = 0;
const test = {
  description: 'Runs the tests',
  execute: () => {
    passing += 1;
    return `${passing} of 3 pass`;
  },
};

const result = await runAgent({
  model: scriptedModel([{ toolCalls: [{ tool: 'test' }] }], { exhausted: 'repeat-last' }),
  tools: { test },
  prompt: 'Make the tests pass',
  goal: goal(() => passing === 3),
  // The calls are the same every time, but not their results: that is no loop.
  stopWhen: [maxIterations(3), loopDetection()],
});

// Both are true after the third iteration; a goal is never reported as a limit.
console.log(describe(result.termination));
console.log('also:', result.also);
