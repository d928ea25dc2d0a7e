import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';

const asking = defineRun({
  name: 'asking',
  run: async (context) => {
    await context.wait({ id: 'q', type: 'approval' });
    return terminations.naturalEnd();
  },
});
const yes = { q: { decision: 'approve' } } as const;

/** A run that was cancelled while a question of it was shown to somebody. */
async function cancelled(engine: Engine): Promise<number> {
  await asking.run(undefined, { engine, runId: 'r' });
  await engine.cancel('r', { by: 'caller' });
  const { termination, segment } = await asking.resume('r', { engine });
  expect(termination.kind).toBe('cancelled');
  return segment;
}

describe('a resume that was decided on an ending', () => {
  it('is refused after another one, and says after which; nothing is opened', async () => {
    const engine = memoryEngine();
    const segment = await cancelled(engine);
    const before = await engine.journal('r');
    for (const onlyAfter of [{ category: 'paused' }, { segment: 1 }] as const)
      await expect(asking.resume('r', { engine, answers: yes, onlyAfter })).rejects.toMatchObject({
        code: 'RESUME_CONFLICT',
        message: expect.stringContaining(`the ending of segment ${segment}, which is cancelled`),
        details: { segment, category: 'cancelled', onlyAfter },
      });
    expect(await engine.journal('r')).toEqual(before);
  });

  it('continues after that one', async () => {
    for (const onlyAfter of [{ category: 'paused' }, { segment: 1 }, { segment: 1, category: 'paused' }] as const) {
      const engine = memoryEngine();
      await asking.run(undefined, { engine, runId: 'r' });
      const { termination } = await asking.resume('r', { engine, answers: yes, onlyAfter });
      expect(termination.kind).toBe('natural_end');
    }
  });

  it('still continues a cancelled run where no condition is given', async () => {
    const engine = memoryEngine();
    await cancelled(engine);
    const { termination } = await asking.resume('r', { engine, answers: yes });
    expect(termination.kind).toBe('natural_end');
  });

  it.each([
    [{}, '{ segment } or { category }'],
    [{ segment: 0 }, 'onlyAfter.segment'],
    [{ category: 'done' }, 'onlyAfter.category'],
    [{ kind: 'paused' }, 'kind'],
    ['paused', '{ segment } or { category }'],
  ])('is refused with a condition that says nothing: %j', async (onlyAfter, words) => {
    const engine = memoryEngine();
    await asking.run(undefined, { engine, runId: 'r' });
    await expect(asking.resume('r', { engine, answers: yes, onlyAfter: onlyAfter as never })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(words),
    });
  });

  it('may be one of an agent or a pipeline', async () => {
    const onlyAfter = { category: 'capacity' } as const;
    const refund = requireApproval({ execute: () => 'refunded' });
    const model = scriptedModel([{ toolCalls: [{ tool: 'refund', input: {}, id: 'c' }] }, { text: 'Done.' }]);
    const agent = defineAgent({ name: 'a', model, tools: { refund } });
    const line = pipeline('p').stage('s', async (_, { context }) => {
      await context.wait({ id: 'q', type: 'approval' });
    });
    const engine = memoryEngine();
    await agent.run('go', { engine, runId: 'a' });
    await expect(agent.resume('a', { engine, onlyAfter })).rejects.toMatchObject({ code: 'RESUME_CONFLICT' });
    await line.run(undefined as never, { engine, runId: 'p' });
    await expect(line.resume('p', { engine, onlyAfter })).rejects.toMatchObject({ code: 'RESUME_CONFLICT' });
  });
});
