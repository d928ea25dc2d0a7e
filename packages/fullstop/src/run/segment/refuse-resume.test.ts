import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent/define-agent.js';
import { requireApproval } from '../../agent/tools/tool.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { terminations } from '../../termination/terminations.js';
import { workflowFrom } from '../../workflow/workflow.fixture.js';
import { defineRun } from '../define-run.js';

const look = { description: 'Looks', inputSchema: { type: 'object' }, execute: () => 'seen' };
const pay = requireApproval({ ...look, execute: () => 'paid' });
const answers = [
  { toolCalls: [{ tool: 'look' }] },
  { toolCalls: [{ tool: 'look' }, { tool: 'pay' }] },
  { text: 'done' },
];
const agent = () => defineAgent({ name: 'agent', model: scriptedModel(answers), tools: { look, pay } });
const workflow = () =>
  workflowFrom('workflow: {name: w, entry_point: m}\nagents: [{name: m, prompt: go}]\ntools: [look, pay]', {
    model: scriptedModel(answers),
    tools: { look, pay } as never,
  });

/** The run as its owner left it, right after the last entry of a step. */
async function left(start: (engine: Engine) => Promise<unknown>): Promise<Engine> {
  const source = memoryEngine();
  await start(source);
  const journal = await source.journal('r');
  const engine = memoryEngine();
  await engine.importRun(journal.slice(0, journal.findLastIndex(({ type }) => type === 'step_ended') + 1));
  return engine;
}

interface Wrong {
  readonly what: string;
  readonly options: object;
  readonly code: string;
}

const wrongAnywhere: readonly Wrong[] = [
  { what: 'a deadline that is none', options: { deadlines: { agent_call_2: 'soon' } }, code: 'INVALID_OPTION' },
  { what: 'a segment that it is not in', options: { onlyAfter: { segment: 3 } }, code: 'RESUME_CONFLICT' },
  { what: 'another category', options: { onlyAfter: { category: 'paused' } }, code: 'RESUME_CONFLICT' },
  { what: 'an answer to nothing', options: { answers: { no: { decision: 'approve' } } }, code: 'INVALID_ANSWER' },
];
const wrongInWorkflows: readonly Wrong[] = [
  { what: 'a limit of zero', options: { limits: { timeMs: 0 } }, code: 'INVALID_LIMIT' },
  { what: 'a limit that there is not', options: { limits: { minutes: 3 } }, code: 'INVALID_LIMIT' },
  { what: 'no time at all', options: { timeoutSeconds: 0 }, code: 'INVALID_LIMIT' },
  { what: 'a place that there is not', options: { at: 'nowhere' }, code: 'INVALID_OPTION' },
];
const guidance = 'be brief';

describe('guidance for a run whose owner is gone', () => {
  async function expectUntouched(engine: Engine, resume: () => Promise<unknown>, code: string): Promise<void> {
    const before = await engine.journal('r');
    await expect(resume()).rejects.toMatchObject({ code });
    expect(await engine.journal('r')).toEqual(before);
    expect(await engine.ending('r')).toBeUndefined();
  }

  it.each(wrongAnywhere)('to an agent, with $what, is refused before that run is ended', async ({ options, code }) => {
    const engine = await left((source) => agent().run('go', { engine: source, runId: 'r' }));
    await expectUntouched(engine, () => agent().resume('r', { engine, guidance, ...options }), code);
  });

  it.each([...wrongAnywhere, ...wrongInWorkflows])(
    'to an agent of a workflow, with $what, is refused before that run is ended',
    async ({ options, code }) => {
      const engine = await left((source) => workflow().run({}, { engine: source, runId: 'r' }));
      await expectUntouched(engine, () => workflow().resume('r', { engine, guidance, ...options }), code);
    },
  );

  it('is heard with options that are right', async () => {
    const engine = await left((source) => workflow().run({}, { engine: source, runId: 'r' }));
    const onlyAfter = { segment: 1, category: 'retryable' } as const;
    const { segment, termination } = await workflow().resume('r', {
      engine,
      guidance,
      onlyAfter,
      at: 'm',
      limits: { steps: 50 },
    });
    expect(segment).toBe(2);
    expect(termination.kind).toBe('interaction_pending');
  });
});

describe('a resume of a run whose owner is gone', () => {
  it('with a limit that is none executes nothing', async () => {
    let calls = 0;
    const steps = defineRun({
      name: 'steps',
      run: async (context) => {
        await context.step('one', () => 1);
        await context.step('two', () => (calls += 1));
        return terminations.naturalEnd();
      },
    });
    const source = memoryEngine();
    await steps.run(undefined, { engine: source, runId: 'r' });
    const engine = memoryEngine();
    await engine.importRun((await source.journal('r')).slice(0, 2));
    const before = await engine.journal('r');
    calls = 0;
    await expect(steps.resume('r', { engine, limits: { timeMs: 0 } })).rejects.toMatchObject({ code: 'INVALID_LIMIT' });
    expect(await engine.journal('r')).toEqual(before);
    expect(calls).toBe(0);
  });
});
