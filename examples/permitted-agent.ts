import { approve, match, maxIterations, requireApproval, runAgent } from 'fullstop';
import { scriptedModel, simulatedClock } from 'fullstop/testing';

const read = { readOnly: true, execute: () => '3 files' };
const remove = { execute: () => 'gone' };
const send = { execute: () => 'sent' };

const clock = simulatedClock();
const result = await runAgent({
  model: scriptedModel([
    { toolCalls: [{ tool: 'remove' }, { tool: 'read' }] },
    { toolCalls: [{ tool: 'send', id: 'mail' }] },
    { text: 'Sent what I found.' },
  ]),
  // The wait is bounded: after two days the call counts as denied (or it is escalated, or the run ends).
  tools: { read, remove, send: requireApproval(send, { deadline: '2d' }) },
  permissions: { deny: ['remove'] },
  prompt: 'Tell everyone what there is',
  stopWhen: [maxIterations(5)],
  onPause: 'wait',
  clock,
});
for (const { tool, output } of result.toolCalls) console.log(tool, output);

// The deadline shows in the types: gate_expired is among the kinds that this run can end with.
const next = match(result.termination, {
  gate_expired: ({ gateId, deadline }) => `nobody answered ${gateId} until ${deadline.slice(0, 10)}`,
  _: ({ kind }) => kind,
});
console.log(next);

const again = await result.resume({ deadlines: { mail: clock.now() + 60_000 } });
const ended = await again.resume({ answers: { mail: approve({ by: 'maria' }) } });
console.log(ended.termination, ended.text);
