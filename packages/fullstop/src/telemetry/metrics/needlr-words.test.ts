import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../agent/define-agent.js';
import { goal } from '../../agent/options/goal.js';
import { needlr } from '../../dialects/needlr.js';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { arbitraryTermination } from '../../termination/any-termination.fixture.js';
import { defineTermination } from '../../termination/define-termination.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { createRegistry } from '../../termination/registry.js';
import { samples } from '../../termination/samples.fixture.js';
import { allKinds } from '../../termination/table.js';
import { terminations } from '../../termination/terminations.js';
import { instrument } from '../instrument.js';
import { projectJournal } from '../project-journal.js';
import { observed } from '../providers.fixture.js';

/** The word that a stage with this ending is counted under. */
async function causeOf(termination: AnyTermination): Promise<unknown> {
  const seen = observed({ dialect: 'needlr' });
  const segment = seen.telemetry.observe({ runId: 'r', name: 'p', segment: 1, startedAt: 0 });
  const place = { scope: '', at: 0 } as const;
  const data = { ok: true, attempts: 1, value: { pipeline: 'p' } } as const;
  const entries: readonly EntryDraft[] = [
    { ...place, type: 'recorded', ordinal: 0, key: 'pipeline', data },
    { ...place, type: 'scope_opened', ordinal: 1, key: 's', data: { name: 's', attempt: 1 } },
    { ...place, type: 'unit_ended', ordinal: 1, key: 's', data: { termination, output: { outcome: 'succeeded' } } },
  ];
  for (const entry of entries) segment.entry(entry);
  const [point] = await seen.points('pipeline.stage.completed');
  return point?.['termination_cause'];
}

const myDomain = defineTermination({
  kind: 'billing.reconciled',
  schema: z.object({ findings: z.number() }),
  family: 'completion',
  category: 'success',
  tag: 'reconciled',
  dialects: { needlr: 'MyDomain' },
});

describe('Needlr’s words in telemetry', () => {
  it.each(allKinds())('are those of its dialect for %s', async (kind) => {
    expect(await causeOf(samples[kind])).toBe(needlr.encode(samples[kind]).value?.['$kind']);
  });

  it('are those of its dialect for every ending', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTermination, async (termination) => {
        expect(await causeOf(termination)).toBe(needlr.encode(termination).value?.['$kind']);
      }),
      { numRuns: 200 },
    );
  });

  it('distinguish a goal that was met after an iteration from one that was met after a tool call', async () => {
    for (const [check, word] of [
      ['iteration', 'Completed'],
      ['tool_call', 'CompletedEarlyAfterToolCall'],
      // A check that a later version may add: whatever is not the end of an iteration is early.
      ['later', 'CompletedEarlyAfterToolCall'],
    ]) {
      const termination = { kind: 'completed', check } as AnyTermination;
      expect(await causeOf(termination)).toBe(word);
      expect(needlr.encode(termination).value).toEqual({ $kind: word });
    }
    const seen = observed({ dialect: 'needlr' });
    const agent = defineAgent({
      name: 'a',
      model: scriptedModel([{ toolCalls: [{ tool: 't', input: {} }] }, { text: 'done' }]),
      tools: { t: { inputSchema: { type: 'object' }, execute: () => 'ok' } },
      goal: goal(({ toolCalls }) => toolCalls > 0, { check: 'tool_call' }),
    });
    await pipeline('p')
      .stage(
        'early',
        using(agent, () => 'go'),
      )
      .stage('plain', () => 1)
      .run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    const causes = (await seen.points('pipeline.stage.completed')).map(({ termination_cause }) => termination_cause);
    // A flow that ran through met no goal: it is no Completed there.
    expect(causes).toEqual(['CompletedEarlyAfterToolCall', 'Custom']);
  });

  it('are the word that a definition declares for Needlr, live and from a stored journal', async () => {
    const [live, stored] = [observed({ dialect: 'needlr' }), observed({ dialect: 'needlr' })];
    const result = await pipeline('p', { terminations: [myDomain] })
      .stage('a', () => 1, { onCompleted: () => myDomain({ findings: 3 }) })
      .run(undefined, { engine: instrument(memoryEngine(), live.telemetry) });
    projectJournal(await result.journal(), stored.telemetry);
    const word = needlr.encode(myDomain({ findings: 3 }), { registry: createRegistry([myDomain]) }).value?.['$kind'];
    expect(word).toBe('MyDomain');
    for (const seen of [live, stored]) {
      const [point] = await seen.points('pipeline.stage.completed');
      expect(point).toMatchObject({ stage_name: 'a', outcome: 'Succeeded', termination_cause: 'MyDomain' });
    }
  });

  it('leave our own words to a definition that declares one for Needlr', async () => {
    const seen = observed();
    await pipeline('p', { terminations: [myDomain] })
      .stage('a', () => 1, { onCompleted: () => myDomain({ findings: 3 }) })
      .run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    expect(await seen.points('pipeline.stage.completed')).toMatchObject([{ termination_cause: 'reconciled' }]);
  });

  it('keep the custom tags that a pipeline declares, and no others', async () => {
    const seen = observed({ dialect: 'needlr' });
    const custom = (tag: string) => terminations.custom({ reason: 'order 4711', category: 'success', tag });
    await pipeline('p', { customTags: ['quiet'] })
      .stage('declared', () => 1, { onCompleted: () => custom('quiet') })
      .stage('invented', () => 1, { onCompleted: () => custom('order-4711') })
      .run(undefined, { engine: instrument(memoryEngine(), seen.telemetry) });
    const causes = (await seen.points('pipeline.stage.completed')).map(({ termination_cause }) => termination_cause);
    expect(causes).toEqual(['quiet', 'Custom']);
  });
});
