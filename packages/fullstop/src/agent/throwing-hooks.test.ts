import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineAgent } from './define-agent.js';
import { directivesOf } from './machine/round.js';
import type { Call, JournalledDirective } from './machine/state.js';
import { approve, halt, submit } from './options/directive.js';
import type { AgentHooks } from './options/hooks.js';
import { readMessage } from './stream/ui-message.fixture.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { requireApproval } from './tools/tool.js';

const failed = { kind: 'failed', origin: 'hook', error: { message: 'no policy' } };
const anything = { type: 'object' } as const;
const guard = { inputSchema: anything, execute: () => 'ok' };
const hand_in = { inputSchema: anything, execute: () => submit('x') };

function calls(...tools: readonly string[]): ReturnType<typeof scriptedModel> {
  return scriptedModel([{ toolCalls: tools.map((tool) => ({ tool })) }, { text: 'done' }]);
}

function payment() {
  const paid: string[] = [];
  return { paid, pay: { inputSchema: anything, execute: () => void paid.push('paid') } };
}

type Place = 'beforeTool' | 'afterTool';

/** A hook that throws at the guard, and has nothing to say about other calls. */
function throwsAt(place: Place): AgentHooks {
  return {
    [place]: ({ tool }: { readonly tool: string }) => {
      if (tool === 'guard') throw new Error('no policy');
    },
  };
}

const places: readonly Place[] = ['beforeTool', 'afterTool'];
const limits = [undefined, 1, 2];
const cases = places.flatMap((place) => limits.map((toolConcurrency) => ({ place, toolConcurrency })));

describe('a hook that throws at a call', () => {
  it.each(cases)('keeps the calls after it from starting ($place, concurrency $toolConcurrency)', async (row) => {
    const { place, toolConcurrency } = row;
    const { paid, pay } = payment();
    const options = { model: calls('guard', 'pay'), tools: { guard, pay }, hooks: throwsAt(place) };
    const agent = defineAgent(toolConcurrency === undefined ? options : { ...options, toolConcurrency });
    const result = await agent.run('go');
    expect(result.termination).toMatchObject(failed);
    expect(paid).toEqual([]);
    expect(result.toolCalls.map(({ tool, error }) => [tool, error?.code])).toEqual([
      ['guard', place === 'beforeTool' ? 'DENIED' : undefined],
      ['pay', 'SKIPPED'],
    ]);
    const { termination } = await result.resume();
    expect([termination.kind, paid]).toEqual(['natural_end', []]);
  });

  it.each(
    places.flatMap((place) => [
      [place, 'after', ['guard', 'pay']] as const,
      [place, 'before', ['pay', 'guard']] as const,
    ]),
  )('asks nobody about the calls (%s) %s it', async (place, _, order) => {
    const { paid, pay } = payment();
    const tools = { guard, pay: requireApproval(pay) };
    const result = await defineAgent({ model: calls(...order), tools, hooks: throwsAt(place) }).run('go');
    expect(result.termination).toMatchObject(failed);
    expect(paid).toEqual([]);
  });

  it.each(places)('withdraws the approvals that are open (%s)', async (place) => {
    const engine = memoryEngine();
    const { paid, pay } = payment();
    const tools = { guard: requireApproval(guard), pay: requireApproval(pay) };
    let throws = false;
    const hooks: AgentHooks = {
      [place]: ({ tool }: { readonly tool: string }) => {
        if (throws && tool === 'guard') throw new Error('no policy');
      },
    };
    const agent = defineAgent({ name: 'teller', model: calls('guard', 'pay'), tools, hooks });
    const paused = await agent.run('go', { engine, runId: 'r' });
    const { requests } = paused.termination as unknown as { requests: readonly { id: string }[] };
    expect(requests).toHaveLength(2);
    throws = true;
    // Other arguments are judged by the hook before the call too.
    const answers = { [requests[0]?.id ?? '']: approve({ input: { edited: true } }) };
    const result = await agent.resume('r', { engine, answers });
    expect(result.termination).toMatchObject(failed);
    expect(paid).toEqual([]);
    expect(await engine.openRequests('r')).toEqual([]);
  });

  it('aborts the calls that are under way', async () => {
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let isAborted = false;
    const slow = {
      inputSchema: anything,
      execute: (_: object, { abortSignal }: { abortSignal?: AbortSignal }) =>
        new Promise((resolve, reject) => {
          abortSignal?.addEventListener('abort', () => {
            isAborted = true;
            reject(new Error('aborted'));
          });
          begin();
          // An unstopped call does end: without the stop this test fails instead of waiting.
          void begun.then(() => setTimeout(resolve, 2_000));
        }),
    };
    const later = { inputSchema: anything, execute: () => begun };
    const result = await defineAgent({
      model: calls('slow', 'guard'),
      tools: { slow, guard: later },
      hooks: throwsAt('afterTool'),
    }).run('go');
    expect(result.termination).toMatchObject(failed);
    expect(isAborted).toBe(true);
    expect(result.toolCalls[0]?.error?.code).toBe('ABORTED');
  });

  it.each(
    places.flatMap((place) => [
      [place, 'before', ['guard', 'hand_in']] as const,
      [place, 'after', ['hand_in', 'guard']] as const,
    ]),
  )('wins over a result that is handed in (%s, %s it)', async (place, _, order) => {
    const model = calls(...order);
    const result = await defineAgent({ model, tools: { guard, hand_in }, hooks: throwsAt(place) }).run('go');
    expect(result.termination).toMatchObject(failed);
    expect(result.output).not.toBe('x');
    expect(result.also.map(({ kind }) => kind)).toEqual(order[0] === 'hand_in' ? ['submitted'] : []);
    expect(result.resumable.how).not.toBe('no');
  });

  it('stands over a halt of the same answer, and both over what is submitted', () => {
    const output = { type: 'text', value: '' } as const;
    const by = (directive: JournalledDirective): Call => ({
      id: directive.type,
      tool: 'x',
      input: {},
      stage: 'done',
      outcome: { output, directive },
    });
    const submitted: JournalledDirective = { type: 'submit', tool: 'x' };
    const halts: JournalledDirective = { type: 'halt', by: 'tool', name: 'x', reason: '' };
    const fails: JournalledDirective = { type: 'fail', hook: 'x', error: { name: 'Error', message: '' }, stops: true };
    const { stops: _, ...earlier } = fails;
    expect(directivesOf([submitted, halts, fails].map(by))).toEqual([fails, halts, submitted]);
    expect(directivesOf([submitted, earlier, halts].map(by))).toEqual([halts, submitted, earlier]);
  });

  it('cancels an agent that waits for a person, and withdraws what it asks', async () => {
    const engine = memoryEngine();
    const { paid, pay } = payment();
    const clerk = agentAsTool(
      defineAgent({ name: 'clerk', model: calls('pay'), tools: { pay: requireApproval(pay) } }),
    );
    const tools = { clerk, guard };
    const model = scriptedModel([
      { toolCalls: [{ tool: 'clerk', input: { prompt: 'go' } }, { tool: 'guard' }] },
      { text: 'done' },
    ]);
    const agent = defineAgent({ name: 'teller', model, tools, hooks: throwsAt('afterTool') });
    const result = await agent.run('go', { engine, runId: 'r' });
    expect(result.termination).toMatchObject(failed);
    expect(result.toolCalls.map(({ tool }) => tool)).toEqual(['clerk', 'guard']);
    expect(await engine.openRequests('r')).toEqual([]);
    expect(paid).toEqual([]);
  });

  it.each(places)('holds after every entry at which the process may die (%s)', async (place) => {
    const engine = memoryEngine();
    const hooks = throwsAt(place);
    const make = (pay: object) =>
      defineAgent({ name: 'teller', model: calls('guard', 'pay'), tools: { guard, pay }, hooks });
    const first = await make(payment().pay).run('go', { engine, runId: 'r' });
    const journal = await engine.journal('r');
    for (let length = 1; length < journal.length; length += 1) {
      const { paid, pay } = payment();
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      const result = await make(pay).resume('r', { engine: again });
      const end = (await again.journal('r')).find(({ type }) => type === 'segment_ended');
      expect([length, end?.data]).toMatchObject([length, { envelope: { termination: failed } }]);
      expect([length, paid]).toEqual([length, []]);
      expect(result.toolCalls.slice(0, 2).map(({ error }) => error?.code)).toEqual(
        first.toolCalls.map(({ error }) => error?.code),
      );
    }
  });

  it.each(places)('is the same dropped and replayed after every step (%s)', async (place) => {
    const { paid, pay } = payment();
    const agent = defineAgent({ model: calls('guard', 'pay'), tools: { guard, pay }, hooks: throwsAt(place) });
    const engine = memoryEngine();
    const result = await agent.run('go', { engine, alwaysReplay: true });
    expect(result.termination).toMatchObject(failed);
    expect(paid).toEqual([]);
    expect((await agent.result(result.runId, { engine }))?.toolCalls).toEqual(result.toolCalls);
  });

  it('is the same when the run is streamed', async () => {
    const { paid, pay } = payment();
    const agent = defineAgent({ model: calls('guard', 'pay'), tools: { guard, pay }, hooks: throwsAt('beforeTool') });
    const result = await agent.stream('go').result;
    expect([result.termination.kind, paid]).toEqual(['failed', []]);
  });

  it('stops an agent inside, and what that does', async () => {
    const { paid, pay } = payment();
    const inner = defineAgent({
      name: 'clerk',
      model: calls('guard', 'pay'),
      tools: { guard, pay },
      hooks: throwsAt('beforeTool'),
    });
    const clerk = agentAsTool(inner);
    const outer = defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'clerk', input: { prompt: 'go' } }] }, { text: 'done' }]),
      tools: { clerk },
    });
    const result = await outer.run('go');
    expect(result.termination.kind).toBe('natural_end');
    expect(result.children).toMatchObject([{ name: 'clerk', termination: failed }]);
    expect(paid).toEqual([]);
  });
});

describe.each([
  ['halts', () => halt('frozen'), { kind: 'halted', reason: 'frozen' }],
  [
    'throws',
    () => {
      throw new Error('no policy');
    },
    failed,
  ],
] as const)('a hook after the model that %s', (_, afterModel, ending) => {
  it('leaves no call to be made by a resume', async () => {
    const engine = memoryEngine();
    const { paid, pay } = payment();
    let isFirst = true;
    const hooks: AgentHooks = {
      afterModel: () => {
        if (!isFirst) return;
        isFirst = false;
        return afterModel();
      },
    };
    const agent = defineAgent({ name: 'teller', model: calls('pay', 'pay'), tools: { pay }, hooks });
    const result = await agent.run('go', { engine, runId: 'r' });
    expect(result.termination).toMatchObject(ending);
    expect(result.toolCalls.map(({ tool, error }) => [tool, error?.code])).toEqual([
      ['pay', 'SKIPPED'],
      ['pay', 'SKIPPED'],
    ]);
    const resumed = await agent.resume('r', { engine });
    expect(resumed.termination.kind).toBe('natural_end');
    expect(paid).toEqual([]);
    expect(resumed.toolCalls).toEqual(result.toolCalls);
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect((await agent.result('r', { engine }))?.messages).toEqual(resumed.messages);
  });

  it('shows the calls in a stream as not made', async () => {
    const { pay } = payment();
    const agent = defineAgent({ model: calls('pay'), tools: { pay }, hooks: { afterModel } });
    const { message } = await readMessage(agent.stream('go') as never);
    expect(message.parts.filter(({ type }) => type === 'tool-pay')).toMatchObject([{ state: 'output-error' }]);
  });

  it('holds after every entry at which the process may die', async () => {
    const engine = memoryEngine();
    const make = (pay: object) =>
      defineAgent({ name: 'teller', model: calls('pay'), tools: { pay }, hooks: { afterModel } });
    await make(payment().pay).run('go', { engine, runId: 'r' });
    const journal = await engine.journal('r');
    for (let length = 1; length < journal.length; length += 1) {
      const { paid, pay } = payment();
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      const result = await make(pay).resume('r', { engine: again });
      const end = (await again.journal('r')).find(({ type }) => type === 'segment_ended');
      expect([length, end?.data]).toMatchObject([length, { envelope: { termination: ending } }]);
      expect([length, paid, result.toolCalls[0]?.error?.code]).toEqual([length, [], 'SKIPPED']);
    }
  });
});
