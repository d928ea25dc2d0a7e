import { type Agent, defineAgent, maxIterations, memoryEngine } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { describe, expect, it } from 'vitest';
import { approvalRecord, loopRecord, recordOf } from '../../why/records.fixture.js';
import { type ConversationMessage, conversationOf } from './conversation.js';
import { workflowRecord } from './view-records.fixture.js';

describe('conversationOf', () => {
  it('tells prompt, answers, calls and results in order', async () => {
    const { messages } = conversationOf(await loopRecord(), { limit: 3 });
    expect(messages.map(({ role, parts }) => [role, parts])).toEqual([
      ['prompt', [{ type: 'text', text: 'find x', seq: 1 }]],
      [
        'model',
        [
          { type: 'text', text: 'looking', seq: 2 },
          { type: 'call', tool: 'search', id: 'call_1', input: { q: 'x' } },
        ],
      ],
      ['tool', [{ type: 'value', value: { hits: [] } }]],
    ]);
  });

  it('pages by entries without losing or doubling one', async () => {
    const record = await loopRecord();
    const all = conversationOf(record).messages;
    const read: ConversationMessage[] = [];
    let after: number | undefined = 0;
    while (after !== undefined) {
      const page = conversationOf(record, { after, limit: 2 });
      read.push(...page.messages);
      after = page.next;
    }
    expect(read).toEqual(all);
  });

  it('has the rendered prompts of a workflow, by unit', async () => {
    const record = await workflowRecord();
    const { units, messages } = conversationOf(record, { path: 'fan.write' });
    expect(units).toContain('sub/two');
    expect(messages[0]).toMatchObject({
      role: 'prompt',
      parts: [{ type: 'text', text: 'Write about old <b>report</b>' }],
    });
  });

  it('has what people were asked', async () => {
    const { messages } = conversationOf(await approvalRecord());
    expect(messages.at(-1)).toMatchObject({
      role: 'person',
      parts: [{ text: 'May search be called?' }, { type: 'value' }],
    });
  });

  it('cuts a message of 5 MB and says from how much', async () => {
    const engine = memoryEngine();
    const text = 'x'.repeat(5_000_000);
    const agent = defineAgent({
      name: 'talker',
      model: scriptedModel([{ text }]),
      stopWhen: [maxIterations(2)],
    } as never) as unknown as Agent;
    await agent.run('talk', { engine, runId: 'r_long' });
    const { messages } = conversationOf(await recordOf(engine, 'r_long'));
    expect(messages.at(-1)?.parts).toEqual([
      { type: 'text', text: text.slice(0, 20_000), seq: expect.any(Number), cutFrom: 5_000_000 },
    ]);
  });
});
