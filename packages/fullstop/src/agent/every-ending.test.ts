import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { systemClock } from '../engines/port/clock.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { sweepAbandoned } from '../run/process/sweep.js';
import { listOf } from '../stop/resume-conditions.js';
import { simulatedClock } from '../testing/simulated-clock.js';
import { defineAgent } from './define-agent.js';
import { call, cases, echo, optionsOf, reconciled, text } from './every-ending.fixture.js';
import { baseKinds, possibleKinds } from './kinds.js';
import { submit } from './options/directive.js';
import { goal } from './options/goal.js';
import { submitTool } from './tools/submit-tool.js';
import { requireApproval } from './tools/tool.js';

/** Every kind that a run of this file has ended with. */
const produced = new Set<string>();

describe('every ending of an agent', () => {
  for (const [kind, each] of Object.entries(cases)) {
    it(`can be ${kind}`, async () => {
      const options = optionsOf(each);
      const result = await defineAgent(options).run('go');
      expect(result.termination).toEqual(each.ending);
      expect(result.termination.kind).toBe(kind);
      produced.add(result.termination.kind);
      expect(possibleKinds(options)).toContain(kind);
    });

    it(`can be ${kind}, dropped and replayed after every step`, async () => {
      const engine = memoryEngine();
      const agent = defineAgent(optionsOf(each));
      const result = await agent.run('go', { engine, alwaysReplay: true });
      expect(result.termination).toEqual(each.ending);
      const read = await agent.result(result.runId, { engine });
      expect(read?.messages).toEqual(result.messages);
      expect(read?.toolCalls).toEqual(result.toolCalls);
    });
  }

  it('can be cancelled', async () => {
    const model = scriptedModel([{ text: 'late', delay: '10s' }]);
    const controller = new AbortController();
    const running = defineAgent({ model }).run('go', { signal: controller.signal });
    await expect.poll(() => model.used()).toEqual({ '*': 1 });
    controller.abort('no longer needed');
    const { termination } = await running;
    expect(termination).toEqual({ kind: 'cancelled', by: 'caller', reason: 'no longer needed' });
    produced.add(termination.kind);
  });

  it('can be abandoned, and resumed', async () => {
    const hour = 3_600_000;
    const source = memoryEngine({ clock: { ...systemClock, now: () => Date.now() - hour } });
    const agent = defineAgent({ model: scriptedModel([call('echo'), text('done'), text('done')]), tools: { echo } });
    await agent.run('go', { engine: source, runId: 'gone' });
    const engine = memoryEngine();
    await engine.importRun((await source.journal('gone')).slice(0, 4));
    const endings = await sweepAbandoned(engine, [agent], { olderThanMs: 1000 });
    expect(endings.map(({ termination }) => termination.kind)).toEqual(['abandoned']);
    const abandoned = await agent.result('gone', { engine });
    expect(abandoned?.termination.kind).toBe('abandoned');
    produced.add(abandoned?.termination.kind ?? '');
    const ended = await agent.resume('gone', { engine });
    expect(ended.termination).toEqual({ kind: 'natural_end' });
    expect(ended.toolCalls).toHaveLength(1);
  });

  it('can be gate_expired, where nobody answers in time', async () => {
    const tools = { echo: requireApproval(echo, { deadline: '1h' }) };
    const clock = simulatedClock();
    const agent = defineAgent({ model: scriptedModel([call('echo')]), tools });
    const result = await agent.run('go', { clock, onPause: 'wait' });
    expect(result.termination.kind).toBe('gate_expired');
    produced.add(result.termination.kind);
    expect(possibleKinds({ tools })).toContain('gate_expired');
  });

  it('has a case for every builder of conditions that there is', () => {
    const files = readdirSync(new URL('../stop/conditions/', import.meta.url));
    const builders = files
      .filter((file) => file.endsWith('.ts') && !file.includes('.test'))
      .map((file) => file.slice(0, -3).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    const tried = Object.entries(cases).flatMap(([kind, { options }]) =>
      listOf(options?.stopWhen ?? [])
        .filter(({ kinds }) => kinds.includes(kind))
        .map((condition) => (condition.evaluateAsync === undefined ? condition.toJSON()['type'] : 'stopCondition')),
    );
    expect(builders.length).toBeGreaterThan(10);
    expect(builders.filter((builder) => !tried.includes(builder))).toEqual([]);
  });

  it('is listed: the base kinds, and what the options add', () => {
    // Whatever options can add, all of them together: nothing that an agent can end with is left out.
    const everything = possibleKinds({
      stopWhen: Object.values(cases).flatMap(({ options }) => options?.stopWhen ?? []),
      tools: { submit: submitTool(), asked: requireApproval(echo, { deadline: '1h' }) },
      output: z.object({}),
      goal: goal(() => true),
      terminations: [reconciled],
      hooks: { beforeModel: () => undefined },
      compaction: {},
    });
    expect([...produced].sort()).toEqual([...new Set([...everything, 'schema_validation'])].sort());
    expect(everything).toEqual(expect.arrayContaining([...baseKinds]));
    const added = Object.entries(cases).flatMap(([kind, each]) =>
      possibleKinds({}).includes(kind) ? [] : [[kind, each] as const],
    );
    for (const [kind, each] of added) expect(possibleKinds(optionsOf(each))).toContain(kind);
    expect(possibleKinds({})).toEqual(baseKinds);
  });

  it('is submitted by any tool that says so', async () => {
    const tools = { hand: { execute: () => submit({ ok: true }) }, echo };
    const model = scriptedModel([{ toolCalls: [{ tool: 'hand' }, { tool: 'echo', input: { q: 'kept' } }] }]);
    const result = await defineAgent({ model, tools }).run('go');
    expect(result.termination).toEqual({ kind: 'submitted', tool: 'hand', deliverable: { ok: true } });
    expect(result.output).toEqual({ ok: true });
    expect(result.toolCalls.map(({ tool }) => tool)).toEqual(['hand', 'echo']);
  });
});
