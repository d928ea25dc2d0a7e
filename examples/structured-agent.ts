import { goal, maxIterations, parseStopConditions, runAgent, submitTool } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const Review = z.object({ score: z.number().min(0).max(10), summary: z.string() });

// The answer has to match a schema; the model is shown the violations and may fix them, twice by default.
const reviewed = await runAgent({
  model: scriptedModel([
    { text: '{ "score": 11, "summary": "Very good" }' },
    { output: { score: 9, summary: 'Very good' } },
  ]),
  output: Review,
  repair: 1,
  prompt: 'Review this change',
});
console.log(reviewed.termination, reviewed.output?.score, `${reviewed.iterations.length} iterations`);

// Or the model submits its result with a tool, which ends the run immediately.
const handedIn = await runAgent({
  model: scriptedModel([{ toolCalls: [{ tool: 'submit', input: { score: 7, summary: 'Fine' } }] }]),
  tools: { submit: submitTool({ schema: Review }) },
  prompt: 'Review this change',
});
console.log(handedIn.termination);

// A goal is what the run is for; conditions may come from a file.
let passing = 0;
const test = {
  description: 'Runs the tests',
  execute: () => {
    passing += 4;
    return `${passing} of 8 pass`;
  },
};
const fixed = await runAgent({
  model: scriptedModel([{ toolCalls: [{ tool: 'test' }] }], { exhausted: 'repeat-last' }),
  tools: { test },
  goal: goal(() => passing === 8, { check: 'tool_rounds' }),
  stopWhen: [maxIterations(10), ...parseStopConditions([{ type: 'noProgress', limit: 3 }])],
  prompt: 'Make the tests pass',
});
console.log(fixed.termination, `${fixed.toolCalls.length} calls`);
