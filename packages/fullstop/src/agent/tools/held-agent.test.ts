import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { LanguageModel } from '../../models/language-model.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { consecutiveErrors } from '../../stop/conditions/consecutive-errors.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import type { Category, Ending } from '../../termination/ending.js';
import { terminations } from '../../termination/terminations.js';
import { defineAgent } from '../define-agent.js';
import { agentAsTool } from './agent-as-tool.js';

interface Helping {
  readonly category: Category;
  readonly treatAsSuccess?: (termination: Ending) => boolean;
}

/** An agent whose first answer gets a verdict of this category. */
function helperWith({ category, treatAsSuccess }: Helping) {
  let isFirst = true;
  const policy = stopCondition('policy', () => {
    if (!isFirst) return undefined;
    isFirst = false;
    return terminations.custom({ reason: 'personal data', category });
  });
  const model = scriptedModel([{ text: 'the secret' }, { text: 'later' }]) as LanguageModel;
  return defineAgent({
    name: 'helper',
    model,
    stopWhen: [policy],
    ...(treatAsSuccess !== undefined && { treatAsSuccess }),
  });
}

const answers = [{ toolCalls: [{ tool: 'helper', input: { prompt: 'help' } }] }, { text: 'done' }];
const places = [{}, { spawn: 'queue' }] as const;

describe.each(places)('an agent as a tool (%j) whose answer a verdict stands over', (place) => {
  it.each(['fatal', 'paused'] as const)(
    'is a failed call at category %s, and its answer is not handed over',
    async (category) => {
      const seen: unknown[] = [];
      const outer = defineAgent({
        name: 'outer',
        model: scriptedModel(answers),
        tools: { helper: agentAsTool(helperWith({ category }), place) },
        hooks: { afterTool: ({ failed, result }) => void seen.push(failed, result) },
      });
      const result = await outer.run('go', { engine: memoryEngine() });
      const termination = { kind: 'custom', reason: 'personal data', category };
      expect(result.termination).toEqual({ kind: 'natural_end' });
      expect(result.toolCalls[0]?.error).toMatchObject({ name: 'AgentFailed', code: 'CUSTOM' });
      expect(seen).toEqual([true, { termination, output: null }]);
      expect(JSON.stringify(result.messages)).not.toContain('the secret');
      expect(result.children).toMatchObject([{ termination, output: null }]);
    },
  );

  it('counts for consecutiveErrors', async () => {
    const outer = defineAgent({
      name: 'outer',
      model: scriptedModel(answers),
      tools: { helper: agentAsTool(helperWith({ category: 'paused' }), place) },
      stopWhen: [consecutiveErrors(1)],
    });
    const { termination } = await outer.run('go', { engine: memoryEngine() });
    expect(termination).toMatchObject({ kind: 'consecutive_errors', lastError: { code: 'CUSTOM' } });
  });

  it('is a call that succeeded where its own treatAsSuccess says so', async () => {
    const helper = helperWith({ category: 'paused', treatAsSuccess: () => true });
    const tools = { helper: agentAsTool(helper, place) };
    const result = await defineAgent({ name: 'outer', model: scriptedModel(answers), tools }).run('go', {
      engine: memoryEngine(),
    });
    expect(result.toolCalls[0]?.error).toBeUndefined();
  });
});

describe('a run of its own that is cancelled', () => {
  it('is a failed call of the agent that spawned it', async () => {
    const engine = memoryEngine();
    const cancel = async () => {
      const { runs } = await engine.list({ parentRunId: 'root' });
      for (const { runId } of runs) await engine.cancel(runId, { by: 'operator' });
    };
    const model = scriptedModel([{ text: 'late', delay: '5s' }], { onCall: () => void cancel() });
    const tools = { helper: agentAsTool(defineAgent({ name: 'helper', model }), { spawn: 'queue' }) };
    const outer = defineAgent({ name: 'outer', model: scriptedModel(answers), tools });
    const result = await outer.run('go', { engine, runId: 'root' });
    expect(result.children[0]?.termination.kind).toBe('cancelled');
    expect(result.toolCalls[0]?.error).toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a run that a verdict holds', () => {
  it('says that it is resumed once a person has decided, and is', async () => {
    const held = await helperWith({ category: 'paused' }).run('go');
    expect(held.category).toBe('paused');
    expect(held.resumable).toEqual({ how: 'resume' });
    expect(held.nextAction).toBe('Have a person decide about it, then resume.');
    expect((await held.resume()).termination).toEqual({ kind: 'natural_end' });
  });
});
