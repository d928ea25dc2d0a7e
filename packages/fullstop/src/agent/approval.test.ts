import { tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineAgent } from './define-agent.js';
import { approve, block, deny, submit } from './options/directive.js';
import { runAgent } from './run-agent.js';
import { requireApproval } from './tools/tool.js';

const inputSchema = z.object({ to: z.string() });
const twoCalls = {
  toolCalls: [
    { tool: 'deploy', input: { to: 'live' }, id: 'call_d' },
    { tool: 'look', input: {}, id: 'call_l' },
  ],
};

function deployer(made: string[], over: { readonly bad?: boolean } = {}) {
  const deploy = {
    inputSchema,
    execute: ({ to }: { readonly to: string }) => {
      made.push(to);
      return `deployed to ${to}`;
    },
  };
  const look = { execute: () => 'looked' };
  const first = over.bad === true ? { toolCalls: [{ tool: 'deploy', input: { to: 5 } }] } : twoCalls;
  return defineAgent({
    name: 'deployer',
    model: scriptedModel([first, { text: 'done' }]),
    tools: { deploy: requireApproval(deploy), look },
  });
}

it.each(['yes', 1, undefined, Promise.resolve({})])(
  'a call about which needsApproval says neither yes nor no is not made: %o',
  async (said) => {
    let made = 0;
    const send = { needsApproval: () => said as never, execute: () => ++made };
    const model = scriptedModel([{ toolCalls: [{ tool: 'send', input: {} }] }, { text: 'done' }]);
    const result = await runAgent({ model, prompt: 'go', tools: { send } });
    expect(made).toBe(0);
    expect(result.toolCalls[0]?.error?.message).toMatch(
      /^send\.needsApproval returned .*; it must return true or false\.$/,
    );
  },
);

describe('approval', () => {
  it('keeps a result that was handed in beside an open request in also, and weighs it once the request is answered', async () => {
    const agent = defineAgent({
      name: 'handing-in',
      model: scriptedModel([
        { toolCalls: [{ tool: 'deploy', input: { to: 'live' }, id: 'call_d' }, { tool: 'stop' }] },
      ]),
      tools: {
        deploy: requireApproval({ inputSchema, execute: () => 'deployed' }),
        stop: { execute: () => submit('enough') },
      },
    });
    const engine = memoryEngine();
    const paused = await agent.run('ship', { engine, runId: 'r' });
    const submitted = { kind: 'submitted', tool: 'stop', deliverable: 'enough' };
    expect(paused.termination.kind).toBe('interaction_pending');
    expect(paused.also).toEqual([submitted]);
    expect((await agent.result('r', { engine }))?.also).toEqual([submitted]);
    const resumed = await agent.resume('r', { engine, answers: { call_d: approve() } });
    expect(resumed.termination).toEqual(submitted);
    expect(resumed.also).toEqual([]);
    expect(resumed.toolCalls.map(({ tool: name }) => name)).toEqual(['deploy', 'stop']);
  });

  it.each([
    undefined,
    null,
    true,
    'no',
    {},
    { decision: 'denied' },
    { approved: false },
    { decision: 'value', value: 'no' },
  ])('never takes %j for a yes', async (answer) => {
    const made: string[] = [];
    const engine = memoryEngine();
    const agent = deployer(made);
    await agent.run('ship', { engine, runId: 'r' });
    const answers = { call_d: answer as never };
    await expect(agent.resume('r', { engine, answers })).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    await expect(engine.answer('r', 'call_d', answer as never)).rejects.toMatchObject({ code: 'INVALID_ANSWER' });
    expect(made).toEqual([]);
    const ended = await agent.resume('r', { engine, answers: { call_d: approve() } });
    expect([ended.termination.kind, made]).toEqual(['natural_end', ['live']]);
  });

  it('runs what may run, pauses, and makes the approved call once, here and in another process', async () => {
    const made: string[] = [];
    const engine = memoryEngine();
    const paused = await deployer(made).run('ship', { engine, runId: 'r' });
    expect(paused.termination).toEqual({
      kind: 'interaction_pending',
      requests: [{ id: 'call_d', path: '', type: 'approval', tool: 'deploy', input: { to: 'live' } }],
    });
    expect(made).toEqual([]);
    // A definition of its own, as another process has it; its script continues after the answer that was used.
    const elsewhere = defineAgent({
      name: 'deployer',
      model: scriptedModel([{ text: 'done' }]),
      tools: {
        deploy: requireApproval({ inputSchema, execute: ({ to }: { readonly to: string }) => void made.push(to) }),
        look: { execute: () => 'not again' },
      },
    });
    const ended = await elsewhere.resume('r', { engine, answers: { call_d: approve({ by: 'maria' }) } });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(made).toEqual(['live']);
    expect(ended.toolCalls.map(({ tool: name, output }) => [name, 'value' in output && output.value])).toEqual([
      ['deploy', null],
      ['look', 'looked'],
    ]);
    await expect(elsewhere.resume('r', { engine, answers: { call_d: approve() } })).rejects.toMatchObject({
      code: 'RUN_CLOSED',
    });
  });

  it('makes the call with edited input, and tells the model about a denial', async () => {
    const made: string[] = [];
    const edited = await (await deployer(made).run('ship', { alwaysReplay: true })).resume({
      answers: { call_d: approve({ input: { to: 'test' } }) },
    });
    expect(edited.termination.kind).toBe('natural_end');
    expect(made).toEqual(['test']);
    const denied = await (await deployer(made).run('ship')).resume({
      answers: { call_d: deny({ reason: 'too late' }) },
    });
    expect(denied.termination.kind).toBe('natural_end');
    expect(denied.toolCalls[0]?.output).toEqual({ type: 'execution-denied', reason: 'too late' });
    expect(made).toEqual(['test']);
  });

  it('does not ask about a call whose arguments do not fit, nor when needsApproval says no', async () => {
    const bad = await deployer([], { bad: true }).run('ship');
    expect(bad.termination.kind).toBe('natural_end');
    const asked: string[] = [];
    const send = tool({
      inputSchema,
      needsApproval: ({ to }) => {
        asked.push(to);
        return to === 'all';
      },
      execute: async ({ to }) => to,
    });
    const toolCalls = [
      { tool: 'send', input: { to: 'one' } },
      { tool: 'send', input: { to: 'all' }, id: 'all' },
    ];
    const agent = defineAgent({ model: scriptedModel([{ toolCalls }, { text: 'done' }]), tools: { send } });
    const paused = await agent.run('go', { alwaysReplay: true });
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'all' }] });
    const ended = await paused.resume({ answers: { all: approve() } });
    expect(ended.termination.kind).toBe('natural_end');
    expect(asked).toEqual(['one', 'all']);
  });

  it('asks what became of an approved call whose outcome was lost, and never repeats it', async () => {
    const made: string[] = [];
    const engine = memoryEngine();
    const controller = new AbortController();
    const hanging = requireApproval({
      execute: () => {
        made.push('sent');
        setTimeout(() => controller.abort('gone'), 5);
        return new Promise<string>(() => undefined);
      },
    });
    const model = scriptedModel([{ toolCalls: [{ tool: 'send', input: { to: 'all' }, id: 'c' }] }, { text: 'done' }]);
    const agent = defineAgent({ model, tools: { send: hanging }, graceMs: 20 });
    await agent.run('go', { engine, runId: 'r' });
    const running = agent.resume('r', { engine, answers: { c: approve() } });
    await expect.poll(() => made).toEqual(['sent']);
    await engine.cancel('r', { by: 'operator' });
    expect((await running).termination.kind).toBe('cancelled');
    const asking = await agent.resume('r', { engine });
    // Whoever is asked has to know what may have happened.
    expect(asking.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ type: 'confirm_outcome', tool: 'send', input: { to: 'all' } }],
    });
    const id = asking.termination.kind === 'interaction_pending' ? (asking.termination.requests[0]?.id ?? '') : '';
    const ended = await agent.resume('r', { engine, answers: { [id]: { decision: 'approve', value: 'it was sent' } } });
    expect(ended.toolCalls[0]?.output).toEqual({ type: 'text', value: 'it was sent' });
    expect(ended.termination.kind).toBe('natural_end');
    expect(made).toEqual(['sent']);
  });

  it('has the hook judge arguments that a person changed', async () => {
    const made: string[] = [];
    const judged: unknown[] = [];
    const engine = memoryEngine();
    const deploy = { inputSchema, execute: ({ to }: { readonly to: string }) => void made.push(to) };
    const agent = defineAgent({
      model: scriptedModel([
        { toolCalls: [{ tool: 'deploy', input: { to: 'test' }, id: 'call_d' }] },
        { text: 'done' },
      ]),
      tools: { deploy: requireApproval(deploy) },
      hooks: {
        beforeTool: ({ input }) => {
          judged.push(input);
          return (input as { to: string }).to === 'live' ? block('NOT_LIVE', 'never to live') : undefined;
        },
      },
    });
    await agent.run('ship', { engine, runId: 'r' });
    const ended = await agent.resume('r', { engine, answers: { call_d: approve({ input: { to: 'live' } }) } });
    expect(judged).toEqual([{ to: 'test' }, { to: 'live' }]);
    expect(made).toEqual([]);
    expect(ended.toolCalls).toMatchObject([{ error: { code: 'NOT_LIVE' } }]);
  });

  it('refuses a timeout, which could not hold for a call that is never given up half done', () => {
    const deploy = { execute: () => 'done', timeout: '5s' } as const;
    const define =
      (tools: object, options: object = {}) =>
      () =>
        defineAgent({ model: scriptedModel([{ text: 'done' }]), tools: tools as never, ...options });
    expect(define({ deploy: requireApproval(deploy) })).toThrow('never given up half done');
    expect(define({ deploy }, { permissions: { ask: ['deploy'] } })).toThrow('never given up half done');
    expect(define({ deploy: requireApproval({ ...deploy, idempotent: true }) })).not.toThrow();
    expect(define({ deploy })).not.toThrow();
  });

  it('is cancelled with the signal of its resume', async () => {
    const made: string[] = [];
    const engine = memoryEngine();
    const agent = deployer(made);
    await agent.run('ship', { engine, runId: 'r' });
    const signal = AbortSignal.abort('too late');
    const { termination } = await agent.resume('r', { engine, answers: { call_d: approve() }, signal });
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'too late' });
    expect(made).toEqual([]);
  });
});
