import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { defineAgent } from '../define-agent.js';
import { runAgent } from '../run-agent.js';
import { agentAsTool } from '../tools/agent-as-tool.js';
import { submitTool } from '../tools/submit-tool.js';
import type { AnyAgentOptions } from './agent-options.js';
import { summarise } from './compaction.js';
import { block, submit, transform } from './directive.js';
import { goal } from './goal.js';

const model = () => scriptedModel([{ toolCalls: [{ tool: 'look', input: {} }] }, { text: 'done' }]);
const define = (options: object) => () => defineAgent({ model: model(), ...options } as AnyAgentOptions);

describe('the options of an agent', () => {
  it.each([
    ['toolConcurrency', 0],
    ['toolConcurrency', -1],
    ['toolConcurrency', Number.NaN],
    ['toolConcurrency', 0.5],
    ['repair', -1],
    ['repair', 0],
    ['customTags', 'x'],
    ['onEnding', [1]],
    ['secrets', {}],
    ['graceMs', -1],
    ['graceMs', Number.NaN],
    ['goal', () => true],
    ['goal', { isReached: () => true }],
    ['tools', null],
    ['tools', []],
    ['tools', { look: null }],
    ['tools', { look: { execute: 'ls' } }],
    ['tools', { look: { execute: () => 1, needsApproval: 'yes' } }],
    ['tools', { look: defineAgent({ model: model() }) }],
    ['instructions', ['be kind']],
    ['wrapUp', 5],
    ['promptFor', 'go'],
    ['treatAsSuccess', true],
    ['fallbackModels', model()],
    ['settings', { stopSequences: 'END' }],
    ['settings', { toolChoice: 'sometimes' }],
    ['settings', { toolChoice: { tool: 'look' } }],
    ['retry', { on: 'error' }],
    ['retry', { on: ['errors'] }],
    ['permissions', { readonly: true }],
    ['permissions', { readOnly: 'yes' }],
    ['permissions', { ask: 'look' }],
    ['compaction', { at: 2 }],
    ['compaction', { contextWindow: 0 }],
    ['compaction', { strategies: ['clear'] }],
    ['compaction', { strategies: [{ compact: () => [] }] }],
    ['compaction', { window: 100 }],
    ['retry', { attempts: 0 }],
    ['retry', { initialDelayMs: -5 }],
    ['retry', { maxDelayMs: 5 }],
    ['settings', { temprature: 1 }],
    ['settings', { maxOutputTokens: 0 }],
    ['settings', { maxOutputTokens: 0.5 }],
    ['settings', { temperature: Number.NaN }],
    ['settings', { seed: '5' }],
    ['raiseOutputCap', 1],
    ['hooks', []],
    ['hooks', { beforeTool: true }],
    ['stopWhen', {}],
    ['context', { tenant: 'acme' }],
    ['needsContext', 'yes'],
    ['stopWhen', [() => true]],
    ['stopWhen', [undefined]],
    ['stopWhen', null],
  ])('%s: %s is refused where it is defined', (option, value) => {
    const code = expect.stringMatching(/^INVALID_(OPTION|LIMIT)$/);
    expect(define({ [option]: value })).toThrow(
      expect.objectContaining({ name: 'FullstopError', code, message: expect.stringContaining(option) }),
    );
  });

  it('that nobody knows are refused, with the one that was meant', async () => {
    expect(define({ stopwhen: [] })).toThrow('defineAgent has no option "stopwhen" (did you mean "stopWhen"?)');
    expect(define({ permissions: { readonly: true } })).toThrow('(did you mean "readOnly"?)');
    expect(define({ settings: { temprature: 1 } })).toThrow('(did you mean "temperature"?)');
    expect(define({ prompt: 'go' })).toThrow('defineAgent has no option "prompt": it is given to run(prompt).');
    expect(define({ runId: 'r' })).toThrow('it is given to run(input, { runId })');
    const look = { execute: () => 1, needsApproval: true, approval: { deadline: '1h', onExpiry: 'rejected' } };
    expect(define({ tools: { look } })).toThrow('The approval of look: onExpiry is "rejected"');
    expect(define({ tools: { look: { ...look, approval: { dedline: '1h' } } } })).toThrow('(did you mean "deadline"?)');
    expect(define({ hooks: { beforeTools: () => block('no', 'no') } })).toThrow('(did you mean "beforeTool"?)');
    expect(() => goal(() => true, { chek: 'tool_call' } as never)).toThrow('(did you mean "check"?)');
    expect(() => submitTool({ shema: {} } as never)).toThrow('(did you mean "schema"?)');
    expect(() => summarise({ kep: 3 } as never)).toThrow('(did you mean "keep"?)');
    const agent = defineAgent({ model: model() });
    expect(() => agentAsTool(agent, { descripton: 'x' } as never)).toThrow('(did you mean "description"?)');
    await expect(agent.run('go', { onPuase: 'wait' } as never)).rejects.toThrow('(did you mean "onPause"?)');
    const engine = memoryEngine();
    await expect(agent.resume('r', { engine, stopwhen: [] } as never)).rejects.toThrow('(did you mean "stopWhen"?)');
    const misspelt = { model: model(), promt: 'go' } as never;
    await expect(runAgent(misspelt)).rejects.toThrow('(did you mean "prompt"?)');
  });
});

describe('what an agent is asked', () => {
  it.each([undefined, null, 5, {}, [null], [{ role: 'nobody', content: '' }], [{ role: 'user', content: 5 }]])(
    'is refused before the start when it is %j',
    async (prompt) => {
      const engine = memoryEngine();
      const asked = runAgent({ model: model(), prompt: prompt as never, engine });
      await expect(asked).rejects.toMatchObject({ name: 'FullstopError', code: 'INVALID_OPTION' });
      expect((await engine.list()).runs).toEqual([]);
    },
  );

  it('makes the run fail, with its one ending, when a run was started around the check', async () => {
    const engine = memoryEngine();
    const agent = defineAgent({ model: model() });
    await engine.start({ runId: 'r', name: agent.name, version: agent.version, input: 5 });
    const worker = engine.worker([agent]);
    const { termination } = await engine.waitForEnding('r', 1);
    await worker.stop();
    expect(termination).toMatchObject({ kind: 'failed', error: { code: 'INVALID_OPTION' } });
    expect((await agent.result('r', { engine }))?.termination).toEqual(termination);
  });
});

describe('a resume of an agent', () => {
  it('without an engine is refused', async () => {
    const agent = defineAgent({ model: model() });
    for (const options of [undefined, {}, { engine: 'runs.db' }]) {
      await expect(agent.resume('r', options as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('engine'),
      });
    }
  });
});

describe('what a hook says', () => {
  const calls: string[] = [];
  const run = (hooks: object) => {
    calls.length = 0;
    return runAgent({ model: model(), prompt: 'go', tools: { look: { execute: () => calls.push('look') } }, hooks });
  };

  it.each([
    ['beforeModel', block('no', 'no')],
    ['beforeTool', 'deny'],
    ['beforeTool', false],
    ['beforeTool', { decision: 'deny' }],
    ['beforeTool', submit('x')],
    ['beforeIteration', transform('x')],
  ])('fails the run when it means nothing in %s (%j)', async (hook, verdict) => {
    const { termination } = await run({ [hook]: () => verdict });
    expect(termination).toMatchObject({
      kind: 'failed',
      origin: 'hook',
      errorClass: 'configuration',
      error: { message: expect.stringContaining('it may return'), data: { hook: `hooks.${hook}` } },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['onPrompt', undefined],
    ['onPrompt', ['a', 'b']],
    ['afterModel', { text: 'x' }],
  ])('fails the run when %s replaces a text by %j', async (hook, value) => {
    const { termination } = await run({ [hook]: () => transform(value) });
    expect(termination).toMatchObject({
      kind: 'failed',
      origin: 'hook',
      error: {
        message: expect.stringMatching(/the value of its transform .* must be a text/),
        data: { hook: `hooks.${hook}` },
      },
    });
  });

  it('lets pass when it says nothing', async () => {
    const { termination } = await run({ beforeTool: () => null, beforeModel: () => undefined });
    expect([termination.kind, calls]).toEqual(['natural_end', ['look']]);
  });
});
