import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { LanguageModel, ModelCallOptions } from '../../models/language-model.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { defineTermination } from '../../termination/define-termination.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { defineAgent } from '../define-agent.js';
import type { AnyAgentOptions } from '../options/agent-options.js';
import { approve, block, deny } from '../options/directive.js';
import { isDiscarded } from '../stream/ui-chunk.js';
import { readMessage, shown } from '../stream/ui-message.fixture.js';
import { agentAsTool } from './agent-as-tool.js';
import { handOff } from './hand-off.js';
import { submitTool } from './submit-tool.js';
import { requireApproval } from './tool.js';

const usage = { inputTokens: 10, outputTokens: 10 };
const call = (tool: string, id = tool): ScriptAnswer => ({ toolCalls: [{ tool, input: {}, id }], usage });
const answer = (text: string): ScriptAnswer => ({ text, usage });
const echo = { inputSchema: { type: 'object' }, execute: () => 'echoed' };

interface Team {
  readonly triage?: readonly ScriptAnswer[];
  readonly billing: readonly ScriptAnswer[];
  readonly ofTriage?: Partial<AnyAgentOptions>;
  readonly ofBilling?: Partial<AnyAgentOptions>;
}

/** An agent that hands over to another one, and what their models were asked. */
function teamOf({ triage: first = [call('billing')], billing: second, ofTriage, ofBilling }: Team) {
  const asked: ModelCallOptions[] = [];
  const inner = scriptedModel({ triage: first, billing: second });
  const model: LanguageModel = {
    ...inner,
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'm',
    doGenerate: (options) => {
      asked.push(options);
      return inner.doGenerate(options);
    },
    doStream: (options) => inner.doStream(options),
  };
  const billing = defineAgent({
    name: 'billing',
    model,
    instructions: 'You do invoices',
    tools: { echo },
    ...ofBilling,
  } as AnyAgentOptions);
  const triage = defineAgent({
    name: 'triage',
    model,
    instructions: 'You sort',
    ...ofTriage,
    tools: { billing: handOff(billing), echo, ...ofTriage?.tools },
  } as AnyAgentOptions);
  return { triage, billing, asked };
}

describe('a hand-off', () => {
  it.each([undefined, {}, 'billing'])('is made to an agent and nothing else: %j', (given) => {
    expect(() => handOff(given as never)).toThrow(/handOff: agent is .*; it must be the result of defineAgent\(…\)/);
  });

  it('lets the other agent continue the conversation, whose ending is that of the run', async () => {
    for (const alwaysReplay of [false, true]) {
      const engine = memoryEngine();
      const { triage, asked } = teamOf({ billing: [call('echo'), answer('paid')] });
      const result = await triage.run('My invoice is wrong', { engine, alwaysReplay });
      expect(result).toMatchObject({ termination: { kind: 'natural_end' }, text: 'paid', output: 'paid' });
      expect(result.usage.totalTokens).toBe(60);
      expect(result.children).toMatchObject([
        {
          name: 'billing',
          toolCallId: 'billing',
          termination: { kind: 'natural_end' },
          text: 'paid',
          tookOver: true,
          usage: { totalTokens: 40 },
        },
      ]);
      // It has its own instructions, what was said before, and the answer to the call that handed over.
      expect(asked[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
      expect(asked[1]?.prompt[0]?.content).toBe('You do invoices');
      expect(JSON.stringify(asked[1]?.prompt)).toContain('The conversation was handed over. You continue it.');
      expect(result.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
      expect(result.messages.at(-1)).toEqual({ role: 'assistant', content: 'paid' });
      const again = await triage.result(result.runId, { engine });
      expect(again).toMatchObject({ text: 'paid', children: result.children, messages: result.messages });
    }
  });

  it.each<[string, readonly ScriptAnswer[], Partial<AnyAgentOptions>, object]>([
    ['a limit', [call('echo'), call('echo')], { stopWhen: [maxIterations(1)] }, { kind: 'max_iterations', limit: 1 }],
    ['a refusal', [{ error: 'refusal', text: 'no' }], {}, { kind: 'agent_refused', agentId: 'billing' }],
    ['a broken provider', [{ error: 'auth' }], {}, { kind: 'provider_auth' }],
    ['a hook', [answer('x')], { hooks: { beforeModel: () => Promise.reject(new Error('x')) } }, { kind: 'failed' }],
    [
      'a result that it hands in',
      [{ toolCalls: [{ tool: 'submit', input: { total: 3 } }] }],
      { tools: { submit: submitTool() } },
      { kind: 'submitted', deliverable: { total: 3 } },
    ],
  ])('ends as the other one does: %s', async (_, billing, ofBilling, ending) => {
    const { triage } = teamOf({ billing, ofBilling });
    const result = await triage.run('go');
    expect(result.termination).toMatchObject(ending);
    expect(result.children).toMatchObject([{ termination: ending, tookOver: true }]);
  });

  it('ends with kinds of the other one, and with its output', async () => {
    const refunded = defineTermination({
      kind: 'app.refunded',
      schema: z.object({ n: z.number() }),
      family: 'completion',
      category: 'success',
    });
    const billing = defineAgent({
      name: 'billing',
      model: scriptedModel([{ output: { total: 3 } }]),
      output: z.object({ total: z.number() }),
      terminations: [refunded],
      stopWhen: [stopCondition('refund', () => refunded({ n: 1 }), ['app.refunded'])],
    });
    const triage = defineAgent({ model: scriptedModel([call('billing')]), tools: { billing: handOff(billing) } });
    expect(triage.kinds).toEqual(expect.arrayContaining(['app.refunded', 'structured_output_exhausted']));
    const result = await triage.run('go');
    expect([result.termination.kind, result.also.map(({ kind }) => kind)].flat()).toContain('natural_end');
    expect(result.output).toEqual({ total: 3 });
  });

  it('lets the agent that was at work continue when the run is resumed, after its own limit', async () => {
    for (const alwaysReplay of [false, true]) {
      const engine = memoryEngine();
      const { triage, asked } = teamOf({
        billing: [call('echo', '1'), call('echo', '2'), answer('paid')],
        ofBilling: { stopWhen: [maxIterations(1)] },
        ofTriage: { hooks: { onEnd: () => undefined } },
      });
      const first = await triage.run('go', { engine, alwaysReplay });
      expect(first.termination).toMatchObject({ kind: 'max_iterations', limit: 1 });
      const second = await first.resume({ stopWhen: [maxIterations(2)], guidance: 'Hurry' });
      expect(second.termination).toMatchObject({ kind: 'max_iterations', limit: 2 });
      const ended = await second.resume({ stopWhen: [maxIterations(9)] });
      expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, text: 'paid' });
      // One call of the first agent, three of the second; nothing was asked twice, and the guidance was for the second.
      expect(asked).toHaveLength(4);
      expect(JSON.stringify(asked[2]?.prompt)).toContain('Hurry');
      expect(ended.usage.totalTokens).toBe(80);
      expect(ended.children).toMatchObject([{ termination: { kind: 'natural_end' }, usage: { totalTokens: 60 } }]);
      const again = await triage.result(ended.runId, { engine });
      expect(again?.children).toEqual(ended.children);
      expect(again?.messages).toEqual(ended.messages);
    }
  });

  it('asks people through the run, and continues with their answers', async () => {
    const { triage } = teamOf({
      billing: [call('pay'), answer('paid')],
      ofBilling: { tools: { pay: requireApproval({ execute: () => 'ok' }) } },
    });
    const paused = await triage.run('go');
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'pay' }] });
    const [{ id }] = (paused.termination as unknown as { requests: [{ id: string }] }).requests;
    const ended = await paused.resume({ answers: { [id]: approve() } });
    expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, text: 'paid' });
  });

  it('is inside the budgets of the agent that hands over', async () => {
    const { triage } = teamOf({
      billing: [call('echo', '1'), call('echo', '2'), call('echo', '3'), answer('paid')],
      ofTriage: { stopWhen: [tokenBudget({ total: 50 })] },
    });
    const result = await triage.run('go');
    expect(result.termination).toMatchObject({ kind: 'token_budget', limit: 50 });
    const larger = [tokenBudget({ total: 1_000 })];
    await expect(result.resume({ stopWhen: larger, guidance: 'Hurry' })).rejects.toThrow(/reads no guidance any more/);
    const ended = await result.resume({ stopWhen: larger });
    expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, text: 'paid' });
  });

  it('comes after the other calls of the same answer, and only once', async () => {
    const { triage, asked } = teamOf({
      triage: [
        {
          toolCalls: [
            { tool: 'billing', id: 'a' },
            { tool: 'echo', id: 'b' },
            { tool: 'billing', id: 'c' },
          ],
        },
      ],
      billing: [answer('paid')],
    });
    const result = await triage.run('go');
    expect(result.text).toBe('paid');
    expect(JSON.stringify(asked[1]?.prompt)).toContain('echoed');
    expect(result.children).toHaveLength(1);
    expect(result.toolCalls.map(({ id, error }) => [id, error?.code])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', 'SKIPPED'],
    ]);
  });

  it('is not made when another call of the same answer ends the run', async () => {
    const { triage } = teamOf({
      triage: [{ toolCalls: [{ tool: 'billing' }, { tool: 'submit', input: { a: 1 } }] }],
      billing: [answer('never')],
      ofTriage: { tools: { submit: submitTool() } },
    });
    const result = await triage.run('go');
    expect(result.termination).toMatchObject({ kind: 'submitted' });
    expect(result.children).toEqual([]);
  });

  it('may be denied by a hook or a person, and then the model reads why', async () => {
    const hooked = teamOf({
      triage: [call('billing'), answer('I stay')],
      billing: [answer('never')],
      ofTriage: {
        hooks: { beforeTool: ({ tool }) => (tool === 'billing' ? block('closed', 'closed today') : undefined) },
      },
    });
    expect((await hooked.triage.run('go')).text).toBe('I stay');
    const { billing } = teamOf({ billing: [answer('never')] });
    const triage = defineAgent({
      model: scriptedModel([call('billing'), answer('I stay too')]),
      tools: { billing: requireApproval(handOff(billing)) },
    });
    const paused = await triage.run('go');
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending' });
    const ended = await paused.resume({ answers: { billing: deny({ reason: 'no' }) } });
    expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, text: 'I stay too', children: [] });
  });

  it('goes from agent to agent, with the ending of each inside', async () => {
    const refunds = defineAgent({
      name: 'refunds',
      model: scriptedModel([call('echo'), answer('refunded')]),
      tools: { echo },
      stopWhen: [maxIterations(1)],
    });
    const { triage } = teamOf({
      billing: [call('refunds')],
      ofBilling: { tools: { refunds: handOff(refunds) } },
    });
    const first = await triage.run('go');
    expect(first.termination).toMatchObject({ kind: 'max_iterations', limit: 1 });
    const inner = { name: 'refunds', tookOver: true, termination: { kind: 'max_iterations' } };
    expect(first.children).toMatchObject([
      { name: 'billing', tookOver: true, termination: { kind: 'max_iterations' }, children: [inner] },
    ]);
    const ended = await first.resume({ stopWhen: [maxIterations(5)] });
    expect(ended).toMatchObject({ termination: { kind: 'natural_end' }, text: 'refunded' });
    expect(ended.children).toMatchObject([{ children: [{ termination: { kind: 'natural_end' } }] }]);
  });

  it('holds after every entry at which the process may die', async () => {
    const answers = { triage: [call('billing')], billing: [call('echo'), answer('paid')] };
    // Answers by the conversation, so that whoever continues gets the answer that belongs there.
    const model = (): LanguageModel => ({
      ...scriptedModel(answers),
      specificationVersion: 'v3',
      provider: 'test',
      modelId: 'm',
      doGenerate: (options) => {
        const said = options.prompt.filter(({ role }) => role === 'assistant').length;
        const all = [...answers.triage, ...answers.billing];
        return scriptedModel([all[said] ?? answer('lost')]).doGenerate(options);
      },
    });
    const make = () => {
      const billing = defineAgent({ name: 'billing', model: model(), tools: { echo } });
      return defineAgent({ name: 'triage', model: model(), tools: { billing: handOff(billing) } });
    };
    const engine = memoryEngine();
    const whole = await make().run('go', { engine, runId: 'r' });
    expect(whole.text).toBe('paid');
    const journal = await engine.journal('r');
    for (let length = 1; length < journal.length; length += 1) {
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      const result = await make().resume('r', { engine: again });
      expect([length, result.termination as AnyTermination, result.text]).toEqual([length, whole.termination, 'paid']);
      expect(result.children).toEqual(whole.children);
    }
  });

  it('streams the words of the agent that took over, and shows the same afterwards', async () => {
    const engine = memoryEngine();
    const { triage } = teamOf({ billing: [{ ...call('echo'), text: 'Let me see. ' }, answer('It is paid.')] });
    const first = await readMessage(triage.stream('go', { engine, runId: 'r' }));
    const said = first.chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
    expect(said.join('')).toBe('Let me see. It is paid.');
    expect(first.message.parts.some(isDiscarded)).toBe(false);
    const types = first.chunks.map(({ type }) => type);
    expect(types).not.toContain('tool-output-error');
    expect(types.filter((type) => type === 'tool-input-available')).toHaveLength(1);
    expect(first.message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-billing', state: 'output-available' },
      { type: 'step-start' },
      { type: 'text', text: 'Let me see. ' },
      { type: 'step-start' },
      { type: 'text', text: 'It is paid.' },
      { type: 'data-ending' },
    ]);
    const { length } = await engine.journal('r');
    const followed = await readMessage(triage.follow('r', { engine }));
    expect(shown(followed.message)).toEqual(shown(first.message));
    for (let after = 1; after <= length; after += 1) {
      const half: Engine = {
        ...engine,
        journal: async (id, query) => (await engine.journal(id, query)).filter(({ seq }) => seq <= after),
        summary: (id) => engine.summary(id),
        ending: (id) => engine.ending(id),
      };
      const before = await readMessage(triage.follow('r', { engine: half }));
      const rest = await readMessage(triage.follow('r', { engine, after }), { before: before.message });
      expect([after, shown(rest.message)]).toEqual([after, shown(first.message)]);
    }
  });

  it('streams the words of every agent that has the conversation, as they come, and of no other one', async () => {
    const helper = defineAgent({ name: 'helper', model: scriptedModel([answer('among us')]) });
    const refunds = defineAgent({
      name: 'refunds',
      model: scriptedModel([{ ...call('helper'), text: 'I ask. ' }, answer('refunded')]),
      tools: { helper: agentAsTool(helper) },
    });
    const { triage } = teamOf({
      triage: [{ ...call('billing'), text: 'One moment. ' }],
      billing: [{ ...call('refunds'), text: 'Passing on. ' }],
      ofBilling: { tools: { refunds: handOff(refunds) } },
    });
    const engine = memoryEngine();
    const first = await readMessage(triage.stream('go', { engine, runId: 'r' }));
    const texts = first.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual(['One moment. ', 'Passing on. ', 'I ask. ', 'refunded']);
    expect(first.message.parts.some(isDiscarded)).toBe(false);
    expect(shown((await readMessage(triage.follow('r', { engine }))).message)).toEqual(shown(first.message));
  });

  it('streams the words of the agent that took over before its answer is whole', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const parts = async function* () {
      yield { type: 'text-start', id: '1' };
      yield { type: 'text-delta', id: '1', delta: 'It is ' };
      await held;
      yield { type: 'text-delta', id: '1', delta: 'paid.' };
      yield { type: 'text-end', id: '1' };
      yield { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} };
    };
    const model: LanguageModel = {
      ...scriptedModel([answer('x')]),
      doStream: async () => ({ stream: ReadableStream.from(parts()) as never }),
    };
    const billing = defineAgent({ name: 'billing', model });
    const triage = defineAgent({ model: scriptedModel([call('billing')]), tools: { billing: handOff(billing) } });
    const heard: string[] = [];
    for await (const chunk of triage.stream('go').toUIMessageStream()) {
      if (chunk.type === 'text-delta') heard.push(chunk.delta);
      // The rest of the answer comes only once its beginning was heard.
      if (heard.length === 1) release();
    }
    expect(heard).toEqual(['It is ', 'paid.']);
  });

  it('shows what is new when the agent that took over is resumed', async () => {
    const engine = memoryEngine();
    const { triage } = teamOf({
      billing: [{ ...call('echo', '1'), text: 'one ' }, { ...call('echo', '2'), text: 'two ' }, answer('paid')],
      ofBilling: { stopWhen: [maxIterations(1)] },
    });
    const first = await readMessage(triage.stream('go', { engine, runId: 'r' }));
    const stopWhen = [maxIterations(9)];
    const second = await readMessage(triage.resumeStream('r', { engine, stopWhen }), { before: first.message });
    const texts = second.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual(['one ', 'two ', 'paid']);
    expect(shown((await readMessage(triage.follow('r', { engine }))).message)).toEqual(shown(second.message));
  });
});
