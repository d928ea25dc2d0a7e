import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { consecutiveMistakes } from '../../stop/conditions/consecutive-mistakes.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { runAgent } from '../run-agent.js';
import { requireApproval } from '../tools/tool.js';
import { approve } from './directive.js';

const call = (tool: string) => ({ toolCalls: [{ tool, input: {} }] });
const tool = { execute: () => 'ok' };
const reading = { execute: () => 'read', readOnly: true };

describe('permissions', () => {
  it('refuse what is denied, do not offer it, and count it as a mistake', async () => {
    const offered: unknown[] = [];
    const model = scriptedModel([call('remove')], {
      exhausted: 'repeat-last',
      onCall: ({ options }) => offered.push(options.tools),
    });
    const result = await runAgent({
      model,
      tools: { remove: tool, list: tool },
      prompt: 'go',
      permissions: { deny: ['remove'] },
      stopWhen: [consecutiveMistakes(2)],
    });
    expect(result.termination).toMatchObject({ kind: 'consecutive_mistakes', lastMistake: { problem: 'denied' } });
    expect(result.toolCalls[0]).toMatchObject({
      output: { type: 'error-text', value: expect.stringContaining('may not be called') as unknown },
    });
    expect(offered[0]).toMatchObject([{ name: 'list' }]);
  });

  it('allow only what is listed, and only reading tools in read-only mode, whatever else they say', async () => {
    const tools = { write: tool, read: reading, list: reading };
    const listed = { model: scriptedModel([call('list'), call('read'), { text: '' }]), tools, prompt: 'go' };
    const one = await runAgent({ ...listed, permissions: { allow: ['read'] } });
    expect(one.toolCalls.map(({ error }) => error?.code)).toEqual(['DENIED', undefined]);
    const model = scriptedModel([call('write'), call('read'), { text: '' }]);
    const two = await runAgent({
      model,
      tools,
      prompt: 'go',
      permissions: { readOnly: true, allow: ['write', 'read'] },
    });
    expect(two.toolCalls.map(({ error }) => error?.code)).toEqual(['DENIED', undefined]);
  });

  it('ask a person, once for each call', async () => {
    const model = scriptedModel([call('deploy'), { text: 'done' }]);
    const first = await runAgent({ model, tools: { deploy: tool }, prompt: 'go', permissions: { ask: ['deploy'] } });
    expect(first.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'deploy' }] });
    if (first.termination.kind !== 'interaction_pending') return;
    const id = first.termination.requests[0]?.id ?? '';
    const second = await first.resume({ answers: { [id]: approve() } });
    expect(second.termination).toEqual({ kind: 'natural_end' });
    expect(second.toolCalls).toMatchObject([{ tool: 'deploy', output: { type: 'text', value: 'ok' } }]);
  });

  it('are refused before the start when they name no tool', async () => {
    const options = { model: scriptedModel([{ text: '' }]), tools: { remove: tool }, prompt: 'go' };
    await expect(async () => runAgent({ ...options, permissions: { deny: ['remvoe'] } })).rejects.toThrow(
      new FullstopError(
        'INVALID_OPTION',
        'permissions: deny names "remvoe", but there is no such tool (did you mean "remove"?).',
      ),
    );
  });
});

describe('an approval with a deadline', () => {
  const options = (terms: Parameters<typeof requireApproval>[1]) => ({
    model: scriptedModel([call('deploy'), { text: 'done' }]),
    tools: { deploy: requireApproval(tool, terms) },
    prompt: 'go',
    clock: simulatedClock(),
    onPause: 'wait' as const,
  });

  it('ends the run when nobody answers, and can be resumed with a new deadline', async () => {
    const clock = simulatedClock();
    const result = await runAgent({ ...options({ deadline: '1h' }), clock });
    expect(result.termination).toMatchObject({ kind: 'gate_expired', gateId: 'call_1' });
    expect(result.toolCalls).toEqual([]);
    const again = await result.resume({ deadlines: { call_1: clock.now() + 60_000 } });
    expect(again.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'call_1' }] });
    const ended = await again.resume({ answers: { call_1: approve() } });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
  });

  it('denies or approves the call by itself when that is wanted', async () => {
    const rejected = await runAgent(options({ deadline: '1h', onExpiry: 'reject' }));
    expect(rejected.termination).toEqual({ kind: 'natural_end' });
    expect(rejected.toolCalls).toMatchObject([
      { output: { type: 'execution-denied', reason: 'nobody answered in time' } },
    ]);
    const approved = await runAgent(options({ deadline: '1h', onExpiry: 'approve' }));
    expect(approved.toolCalls).toMatchObject([{ output: { type: 'text', value: 'ok' } }]);
  });

  it('escalates, and ends the run when that is not answered either', async () => {
    const escalation = { to: 'the boss', deadline: '1h' } as const;
    const clock = simulatedClock();
    const start = clock.now();
    const result = await runAgent({ ...options({ deadline: '1h', onExpiry: 'escalate', escalation }), clock });
    expect(result.termination).toMatchObject({ kind: 'gate_expired', gateId: 'call_1' });
    expect(clock.now() - start).toBe(2 * 3_600_000);
    await expect(async () => runAgent(options({ deadline: '1h', onExpiry: 'escalate' }))).rejects.toThrow('escalation');
  });
});

describe('a provider that uses the id of a tool call again', () => {
  it('gets an approval for each call', async () => {
    const same = { toolCalls: [{ tool: 'deploy', input: {}, id: 'call_0' }] };
    const model = scriptedModel([same, same, { text: 'done' }]);
    let deployed = 0;
    const deploy = requireApproval({ execute: () => ++deployed });
    const first = await runAgent({ model, tools: { deploy }, prompt: 'go' });
    const second = await first.resume({ answers: { call_0: approve() } });
    expect(second.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'call_0#2' }] });
    const third = await second.resume({ answers: { 'call_0#2': approve() } });
    expect(third.termination).toEqual({ kind: 'natural_end' });
    expect(deployed).toBe(2);
  });
});
