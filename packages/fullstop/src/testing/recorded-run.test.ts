import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { requireApproval } from '../agent/tools/tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { type ScriptedAnswers, scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { terminationMatchers } from './matchers/termination-matchers.js';
import { loadRun, saveRun } from './recorded-run.js';

expect.extend(terminationMatchers);

const neverAsked: ScriptedAnswers = () => {
  throw new Error('the model was asked');
};
const call = (n: number) => ({ toolCalls: [{ tool: 'count', input: { n } }] });

function agentWith(answers: ScriptedAnswers, limit = 5) {
  const count = { execute: ({ n }: { n: number }) => n + 1 };
  const deploy = requireApproval({ execute: () => 'deployed' });
  return defineAgent({
    name: 'counter',
    model: scriptedModel(answers),
    tools: { count, deploy },
    stopWhen: [maxIterations(limit)],
  });
}

async function record(answers: ScriptedAnswers): Promise<string> {
  const engine = memoryEngine();
  const { runId } = await agentWith(answers).run('go', { engine });
  return await saveRun(engine, runId);
}

const finished = [call(1), call(2), { text: 'three' }];
const endless = [1, 2, 3, 4, 5].map(call);

describe('a recorded run', () => {
  it('has the ending and the results of the run, in any process', async () => {
    const run = await loadRun(await record(finished));
    expect(run).toEndWith('natural_end');
    expect(run).toEndAs('success');
    expect(run.journal.at(-1)?.type).toBe('segment_ended');
    const result = await agentWith(neverAsked).result(run.runId, { engine: run.engine });
    expect(result?.text).toBe('three');
    expect(result?.toolCalls).toHaveLength(2);
  });

  it.each([
    ['finished', finished, 'natural_end'],
    ['at its limit', endless, 'max_iterations'],
    ['waiting for a person', [{ toolCalls: [{ tool: 'deploy' }] }], 'interaction_pending'],
    ['failed', [call(1), { error: 'auth' as const }], 'provider_auth'],
  ])('is replayed by the code of today, without asking the model: %s', async (_name, answers, kind) => {
    const run = await loadRun(await record(answers));
    const ending = await run.replay(agentWith(neverAsked));
    expect(ending.termination).toEqual(run.termination);
    expect(ending).toEndWith(kind as never);
    // The fixture stays as it was.
    expect((await run.replay(agentWith(neverAsked))).termination).toEqual(run.termination);
  });

  it('ends differently when the code would act differently now', async () => {
    const run = await loadRun(await record(endless));
    expect(await run.replay(agentWith(neverAsked, 3))).not.toEndWith('max_iterations', { limit: 5 });
    const longer = await run.replay(agentWith([{ text: 'at last' }], 8));
    expect(longer).toEndWith('natural_end');
  });

  it('can be resumed from its file', async () => {
    const run = await loadRun(await record(endless));
    const resumed = await agentWith([{ text: 'at last' }]).resume(run.runId, {
      engine: run.engine,
      stopWhen: [maxIterations(9)],
    });
    expect(resumed).toEndWith('natural_end');
    expect(resumed.toolCalls).toHaveLength(5);
  });

  it('says where other limits would have ended it', async () => {
    const run = await loadRun(await record(finished));
    expect(run.whatIf([maxIterations(2)])?.termination).toEndWith('max_iterations', { limit: 2, used: 2 });
    expect(run.whatIf([maxIterations(30)])).toBeUndefined();
    expect(() => run.whatIf([stopCondition('own', () => undefined)])).toThrow('cannot be tried on a recorded run');
  });

  it('is refused when an entry is missing, it is no journal, or has no ending', async () => {
    const text = await record(finished);
    await expect(loadRun('{"kind":"natural_end"}')).rejects.toMatchObject({ code: 'INVALID_JOURNAL' });
    const lines = text.trimEnd().split('\n');
    await expect(loadRun(lines.toSpliced(3, 1).join('\n'))).rejects.toMatchObject({ code: 'INVALID_JOURNAL' });
    await expect(loadRun(lines.slice(0, -1).join('\n'))).rejects.toThrow('has not ended');
  });

  it('is not replayed where its ending came from outside', async () => {
    const engine = memoryEngine();
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'late', delay: '1h' }], { onCall: () => controller.abort('enough') });
    const agent = defineAgent({ name: 'counter', model });
    const { runId } = await agent.run('go', { engine, signal: controller.signal });
    const run = await loadRun(await saveRun(engine, runId));
    expect(run).toEndWith('cancelled');
    await expect(run.replay(agent)).rejects.toThrow('it ended as cancelled, which came from outside');
  });
});
