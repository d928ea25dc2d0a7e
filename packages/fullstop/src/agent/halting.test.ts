import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineAgent } from './define-agent.js';
import { approve, finish, halt, submit } from './options/directive.js';
import { goal } from './options/goal.js';
import { requireApproval } from './tools/tool.js';

const halted = { kind: 'halted', by: { type: 'tool', name: 'guard' }, reason: 'frozen' };
const anything = { type: 'object' } as const;
const guard = { inputSchema: anything, execute: () => halt('frozen') };

function calls(...tools: readonly string[]): ReturnType<typeof scriptedModel> {
  return scriptedModel([{ toolCalls: tools.map((tool) => ({ tool })) }, { text: 'done' }]);
}

function payment() {
  const paid: string[] = [];
  return { paid, pay: { inputSchema: anything, execute: () => void paid.push('paid') } };
}

describe('a call that halts', () => {
  it.each([undefined, 1, 2])('keeps the calls after it from starting (concurrency %s)', async (toolConcurrency) => {
    const { paid, pay } = payment();
    const options = { model: calls('guard', 'pay'), tools: { guard, pay } };
    const agent = defineAgent(toolConcurrency === undefined ? options : { ...options, toolConcurrency });
    const result = await agent.run('go');
    expect(result.termination).toEqual(halted);
    expect(paid).toEqual([]);
    expect(result.toolCalls.map(({ tool, error }) => [tool, error?.code])).toEqual([
      ['guard', undefined],
      ['pay', 'SKIPPED'],
    ]);
  });

  it.each([
    ['after', ['guard', 'pay']],
    ['before', ['pay', 'guard']],
  ])('asks nobody about the calls %s it', async (_, order) => {
    const { paid, pay } = payment();
    const result = await defineAgent({
      model: calls(...order),
      tools: { guard, pay: requireApproval(pay) },
    }).run('go');
    expect(result.termination).toEqual(halted);
    expect(paid).toEqual([]);
  });

  it('aborts the calls that are under way', async () => {
    let isAborted = false;
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = {
      inputSchema: anything,
      execute: (_: object, { abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          abortSignal?.addEventListener('abort', () => {
            isAborted = true;
            reject(new Error('aborted'));
          });
          begin();
        }),
    };
    const later = {
      inputSchema: anything,
      execute: async () => {
        await begun;
        return halt('frozen');
      },
    };
    const result = await defineAgent({ model: calls('slow', 'guard'), tools: { slow, guard: later } }).run('go');
    expect(result.termination).toEqual(halted);
    expect(isAborted).toBe(true);
  });

  it('withdraws the approvals that are open', async () => {
    const engine = memoryEngine();
    const { paid, pay } = payment();
    const tools = { guard: requireApproval(guard), pay: requireApproval(pay) };
    const agent = defineAgent({ name: 'teller', model: calls('guard', 'pay'), tools });
    const paused = await agent.run('go', { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ tool: 'guard' }, { tool: 'pay' }],
    });
    const requests = (paused.termination as unknown as { requests: readonly { id: string }[] }).requests;
    const result = await agent.resume('r', { engine, answers: { [requests[0]?.id ?? '']: approve() } });
    expect(result.termination).toEqual(halted);
    expect(paid).toEqual([]);
    expect(await engine.openRequests('r')).toEqual([]);
  });

  it.each([
    ['before', ['guard', 'hand_in']],
    ['after', ['hand_in', 'guard']],
  ])('wins over a result that is handed in %s it', async (_, order) => {
    const hand_in = { inputSchema: anything, execute: () => submit('x') };
    const result = await defineAgent({ model: calls(...order), tools: { guard, hand_in } }).run('go');
    expect(result.termination).toEqual(halted);
    expect(result.output).not.toBe('x');
  });

  it('wins over a goal', async () => {
    const result = await defineAgent({ model: calls('guard'), tools: { guard }, goal: goal(() => true) }).run('go');
    expect(result.termination).toEqual(halted);
  });

  it.each([0, 5])('may be a hook before it, which takes %s ms', async (delay) => {
    const { paid, pay } = payment();
    const ok = { inputSchema: anything, execute: () => 'ok' };
    const result = await defineAgent({
      model: calls('ok', 'pay'),
      tools: { ok, pay },
      hooks: {
        beforeTool: async ({ tool }) => {
          if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
          return tool === 'ok' ? halt('frozen') : undefined;
        },
      },
    }).run('go');
    expect(result.termination).toMatchObject({ kind: 'halted', by: { type: 'hook' }, reason: 'frozen' });
    expect(paid).toEqual([]);
  });

  it('holds after every entry at which the process may die', async () => {
    const engine = memoryEngine();
    const make = (pay: object) => defineAgent({ name: 'teller', model: calls('guard', 'pay'), tools: { guard, pay } });
    const first = await make(payment().pay).run('go', { engine, runId: 'r' });
    const journal = await engine.journal('r');
    for (let length = 1; length < journal.length; length += 1) {
      const { paid, pay } = payment();
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      const result = await make(pay).resume('r', { engine: again });
      // A run that was resumed after its halt continues in another segment.
      const end = (await again.journal('r')).find(({ type }) => type === 'segment_ended');
      expect([length, end?.data]).toMatchObject([length, { envelope: { termination: first.termination } }]);
      expect([length, paid]).toEqual([length, []]);
      expect(result.toolCalls.slice(0, 2)).toEqual(first.toolCalls);
    }
  });

  it('is the same dropped and replayed after every step', async () => {
    const { paid, pay } = payment();
    const agent = defineAgent({ model: calls('guard', 'pay'), tools: { guard, pay } });
    const engine = memoryEngine();
    const result = await agent.run('go', { engine, alwaysReplay: true });
    expect(result.termination).toEqual(halted);
    expect(paid).toEqual([]);
    expect((await agent.result(result.runId, { engine }))?.toolCalls).toEqual(result.toolCalls);
  });
});

describe('a call whose own hook ends the run', () => {
  it.each([() => halt('frozen'), () => finish('enough')])('is denied, and never made: %s', async (beforeTool) => {
    let made = 0;
    const pay = {
      execute: () => {
        made += 1;
      },
    };
    const model = scriptedModel([{ toolCalls: [{ tool: 'pay' }] }]);
    const result = await defineAgent({ model, tools: { pay }, hooks: { beforeTool } }).run('go');
    expect(result.toolCalls).toMatchObject([{ tool: 'pay', error: { code: 'DENIED' } }]);
    expect(made).toBe(0);
  });
});
