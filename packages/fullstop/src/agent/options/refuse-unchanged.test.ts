import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { delegateEngine } from '../../engines/port/delegate-engine.js';
import type { Engine, JournalQuery } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { budgetPressure } from '../../stop/conditions/budget-pressure.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../../stop/conditions/max-tool-calls.js';
import { noProgress } from '../../stop/conditions/no-progress.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { describe as explain } from '../../termination/classify.js';
import { defineAgent } from '../define-agent.js';

const work = { execute: () => 'done' };

function agentWith(stopWhen: Parameters<typeof defineAgent>[0]['stopWhen']) {
  const model = scriptedModel([{ toolCalls: [{ tool: 'work' }] }], { exhausted: 'repeat-last' });
  return defineAgent({ name: 'worker', model, tools: { work }, stopWhen: stopWhen ?? [] });
}

/** The engine, and what was asked of its journals. */
function listening(engine: Engine): { readonly engine: Engine; readonly queries: (JournalQuery | undefined)[] } {
  const queries: (JournalQuery | undefined)[] = [];
  const journal: Engine['journal'] = (runId, query) => {
    queries.push(query);
    return engine.journal(runId, query);
  };
  return { engine: { ...delegateEngine(engine), journal }, queries };
}

describe('the resume of an agent that stopped at a limit', () => {
  it('is judged by its last entries, without a look at all the others', async () => {
    const { engine, queries } = listening(memoryEngine());
    const agent = agentWith([maxIterations(3)]);
    await agent.run('go', { engine, runId: 'r' });
    await expect(agent.resume('r', { engine })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const resumed = await agent.resume('r', { engine, stopWhen: [maxIterations(5)] });
    expect(resumed.termination).toMatchObject({ kind: 'max_iterations', used: 5 });
    expect(queries).not.toContain(undefined);
    expect(queries.every((query) => query?.types !== undefined || query?.newest !== undefined)).toBe(true);
  });

  it('names the limit that it would stop at, not the one that it stopped at', async () => {
    const engine = memoryEngine();
    const agent = agentWith([maxIterations(3)]);
    await agent.run('go', { engine, runId: 'r' });
    const resumed = agent.resume('r', { engine, stopWhen: [maxIterations(9), maxToolCalls(2)] });
    const { message } = await resumed.then(
      () => new Error('it was not refused'),
      (error: Error) => error,
    );
    expect(message).toContain('as max_tool_calls: ');
    expect(message).toContain(explain({ kind: 'max_tool_calls', limit: 2, used: 3 }));
  });

  it('is refused for a limit that is new but already passed', async () => {
    const engine = memoryEngine();
    const agent = agentWith([maxIterations(3)]);
    await agent.run('go', { engine, runId: 'r' });
    const stopWhen = [maxIterations(9), maxToolCalls(2)];
    await expect(agent.resume('r', { engine, stopWhen })).rejects.toThrow(/would stop at once, as max_tool_calls/);
  });

  it('may continue after a detector, whose window starts over', async () => {
    const engine = memoryEngine();
    const agent = agentWith([noProgress(3)]);
    const first = await agent.run('go', { engine, runId: 'r' });
    expect(first.termination.kind).toBe('no_progress');
    const second = await agent.resume('r', { engine });
    expect(second.termination.kind).toBe('no_progress');
    expect(second.iterations.length).toBeGreaterThan(first.iterations.length);
  });

  it('knows from the journal of an older version what its last entries do not say', async () => {
    const agent = agentWith([maxIterations(4)]);
    const original = memoryEngine();
    await agent.run('go', { engine: original, runId: 'r' });
    const engine = memoryEngine();
    await engine.importRun((await original.journal('r')).map(withoutStates));
    await expect(agent.resume('r', { engine })).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const resumed = await agent.resume('r', { engine, stopWhen: [maxIterations(6)] });
    expect(resumed.termination).toMatchObject({ kind: 'max_iterations', used: 6 });
  });
});

function withoutStates(entry: JournalEntry): JournalEntry {
  if (entry.type !== 'observed') return entry;
  const { states: _, ...data } = entry.data;
  return { ...entry, data };
}

describe('the resume of an agent that has wrapped up under pressure', () => {
  const usage = { inputTokens: 50, outputTokens: 50 };
  const ended = (last: object) =>
    defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'work' }], usage }, last] as never),
      tools: { work },
      stopWhen: [tokenBudget({ total: 150 }), budgetPressure(0.6)],
    }).run('go');

  it.each([true, false])('is refused in words that say nothing about an answer, finalized: %s', async (finalized) => {
    const last = finalized
      ? { text: 'in short', usage: { inputTokens: 1, outputTokens: 1 } }
      : { finish: 'stop', usage: { inputTokens: 1, outputTokens: 1 } };
    const result = await ended(last);
    expect(result.termination).toMatchObject({ kind: 'budget_pressure', finalized });
    const summary = '60% of the token budget is used already, and the model would only be told to wrap up again.';
    await expect(result.resume()).rejects.toMatchObject({
      code: 'LIMIT_UNCHANGED',
      message: expect.stringContaining(`would stop at once, as budget_pressure: ${summary} Resume it`),
      details: { summary },
    });
  });
});
