import { beforeAll, describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { timeout } from '../stop/conditions/timeout.js';
import { type FaultyEngine, faultyEngine } from '../testing/faulty-engine.js';
import { type SimulatedClock, simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { loadLoop } from './load-loop.js';
import { approve } from './options/directive.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { requireApproval, type ToolCallOptions } from './tools/tool.js';

const hour = 3_600_000;
const usage = { inputTokens: 1, outputTokens: 1 };

/** Claims a run and executes it until its owner is gone or it comes to rest. */
async function execute(engine: FaultyEngine, definition: RunnableDefinition, runId: string): Promise<void> {
  const session = await engine.claim(runId, 'worker');
  if (session !== undefined) await Promise.race([definition.execute(session, engine), engine.lost(runId)]);
}

/** The active time that the loop counted at its evaluation points. */
function counted(journal: readonly JournalEntry[], scope = ''): readonly unknown[] {
  const observed = journal.filter((entry) => entry.type === 'observed' && entry.key === 'observe');
  return observed.flatMap((entry) => (entry.scope === scope ? [(entry.data as { activeMs?: number }).activeMs] : []));
}

/** Waits until the run asks, lets an hour pass and agrees. */
async function agreeAfterAnHour(engine: Engine, clock: SimulatedClock, runId: string): Promise<void> {
  for (;;) {
    const [open] = await engine.openRequests(runId);
    if (open !== undefined) {
      await clock.advance(hour);
      await engine.answer(runId, open.id, approve());
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function worker(clock: SimulatedClock) {
  const model = scriptedModel(
    {
      boss: [
        { toolCalls: [{ tool: 'work', input: {} }], usage },
        { text: 'done', usage },
      ],
    },
    { clock },
  );
  const execute = (_: unknown, { abortSignal }: ToolCallOptions): Promise<string> =>
    new Promise((resolve, reject) => {
      abortSignal.addEventListener('abort', () => reject(new Error('aborted')));
      clock.callAt(clock.now() + 2000, () => resolve('ok'));
    });
  return defineAgent({ name: 'boss', model, tools: { work: { execute } }, stopWhen: [timeout({ run: '10s' })] });
}

// A simulated clock would not wait for files.
beforeAll(loadLoop);

describe('the active time of an agent', () => {
  it('leaves out the time between the death of one owner and the next', async () => {
    const clock = simulatedClock();
    const engine = faultyEngine(memoryEngine({ clock }), [
      { point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 },
    ]);
    const agent = worker(clock);
    await engine.start({ runId: 'r', name: agent.name, version: agent.version, input: 'go' });
    await execute(engine, agent as unknown as RunnableDefinition, 'r');
    await clock.advance(hour);
    await execute(engine, agent as unknown as RunnableDefinition, 'r');
    const result = await agent.result('r', { engine });
    expect(result?.termination).toEqual({ kind: 'natural_end' });
    expect(result?.durationMs).toBe(2000);
    expect(Math.max(...(counted(await engine.journal('r')) as number[]))).toBe(2000);
  });

  it('leaves out the time in which a sub-agent waits for a person', async () => {
    for (const alwaysReplay of [false, true]) {
      const clock = simulatedClock();
      const model = scriptedModel(
        {
          outer: [
            { toolCalls: [{ tool: 'helper', input: { prompt: 'x' } }], usage },
            { text: 'done', usage },
          ],
          helper: [
            { toolCalls: [{ tool: 'send', input: {} }], usage, delay: '3s' },
            { text: 'sent', usage, delay: '1s' },
          ],
        },
        { clock },
      );
      const helper = defineAgent({
        name: 'helper',
        model,
        tools: { send: requireApproval({ execute: () => 'ok' }) },
        stopWhen: [timeout({ run: '8s' })],
      });
      const outer = defineAgent({
        name: 'outer',
        model,
        tools: { helper: agentAsTool(helper) },
        stopWhen: [timeout({ run: '10s' })],
      });
      const engine = memoryEngine({ clock });
      const asked = agreeAfterAnHour(engine, clock, 'r');
      const result = await outer.run('go', { engine, runId: 'r', onPause: 'wait', alwaysReplay });
      await asked;
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(result.durationMs).toBe(4000);
      expect(Math.max(...(counted(await engine.journal('r')) as number[]))).toBe(4000);
      expect(result.children).toMatchObject([{ termination: { kind: 'natural_end' } }]);
    }
  });

  it('counts what it did in a segment that was cut short', async () => {
    const clock = simulatedClock();
    const agent = worker(clock);
    const engine = memoryEngine({ clock });
    const running = agent.run('go', { engine, runId: 'r' });
    clock.callAt(clock.now() + 1500, () => void engine.cancel('r', { by: 'caller' }));
    expect((await running).durationMs).toBe(1500);
    await clock.advance(hour);
    const result = await agent.resume('r', { engine });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect([result.durationMs, counted(await engine.journal('r')).at(-1)]).toEqual([3500, 3500]);
  });
});
