import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { pipeline } from '../../packages/fullstop/src/pipeline/pipeline.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { end } from '../../packages/fullstop/src/run/ending/body-result.js';
import { exportJournal, importJournal } from '../../packages/fullstop/src/run/journal/journal-file.js';
import { verifyJournal } from '../../packages/fullstop/src/run/journal/verify-journal.js';
import { FullstopError } from '../../packages/fullstop/src/termination/errors/fullstop-error.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { engines } from './engines.js';
import { anyText } from './junk.js';

/** A run by someone who writes any text wherever texts are taken. */
const texts = fc.record({
  runId: fc.option(anyText, { nil: undefined }),
  name: fc.oneof(fc.constant('n'), anyText),
  version: fc.oneof(fc.constant('1'), anyText),
  target: fc.oneof(fc.constant('ops'), anyText),
  key: anyText,
  unit: anyText,
  request: anyText,
  value: anyText,
  callId: anyText,
  tool: fc.oneof(fc.constant('look'), fc.constant('ask'), anyText),
  by: anyText,
});

type Texts = typeof texts extends fc.Arbitrary<infer T> ? T : never;

/** Undefined when it was refused before anything began. */
async function refusedOr<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (FullstopError.is(error)) return undefined;
    throw error;
  }
}

async function runBody(engine: Engine, given: Texts): Promise<void> {
  const { runId, name, version, target, key, unit, request, value, by } = given;
  const id = runId === undefined ? {} : { runId };
  await refusedOr(async () => {
    const body = defineRun({
      name,
      version,
      onEnding: [target],
      run: async (context) => {
        context.emit({ [value]: value });
        const attempts = [
          () => context.step(key, () => value),
          () => context.record(key, () => value),
          () => context.sleep(key, 0),
          () =>
            context.child(unit, async (inner) => end(terminations.naturalEnd(), await inner.step(key, () => value))),
          () => context.step(`throws ${key}`, () => Promise.reject(new Error(value))),
        ];
        for (const attempt of attempts) await attempt().catch(() => undefined);
        await context.wait({ id: request, type: 'input', summary: value });
        return end(terminations.custom({ reason: value, category: 'success' }), { value });
      },
    });
    const first = await body.run(undefined, { engine, ...id });
    const answers = { [request]: { decision: 'value', value, reason: value, by } } as const;
    if (first.termination.kind === 'interaction_pending')
      await refusedOr(() => body.resume(first.runId, { engine, by, answers }));
    return first;
  });
}

async function runTheAgent(engine: Engine, { callId, tool, value, by }: Texts): Promise<void> {
  const calls = {
    toolCalls: [
      { tool, input: { [value]: value }, id: callId },
      { tool: 'ask', input: {}, id: callId },
    ],
  };
  await refusedOr(async () => {
    const options = {
      model: scriptedModel([calls, { text: value }]),
      prompt: value,
      engine,
      tools: {
        look: { execute: () => value },
        ask: { needsApproval: true, execute: () => value },
        [tool]: { execute: () => value },
      },
    };
    const result = await runAgent(options);
    if (result.termination.kind === 'interaction_pending')
      for (const { id } of result.termination.requests)
        await engine.answer(result.runId, id, { decision: 'approve', by }).catch((error: unknown) => {
          if (!FullstopError.is(error)) throw error;
        });
    return result;
  });
}

async function runStages(engine: Engine, { name, unit, value }: Texts): Promise<void> {
  await refusedOr(async () =>
    pipeline(name)
      .stage(unit, () => value)
      .run(undefined, { engine }),
  );
}

/** Every journal in a store verifies, and is the same after an export and an import. */
async function checkAll(engine: Engine, openEmpty: () => Engine): Promise<number> {
  const { runs } = await engine.list({ limit: 1000 });
  const copy = openEmpty();
  for (const { runId } of runs) {
    const journal = await engine.journal(runId);
    expect(await verifyJournal(journal)).toMatchObject({ verdict: 'consistent' });
    const ending = await engine.ending(runId);
    if (ending?.headHash !== undefined)
      expect(await verifyJournal(journal, { head: ending.headHash })).toMatchObject({ verdict: 'proved' });
    const lines: string[] = [];
    for await (const line of exportJournal(engine, runId)) lines.push(line);
    expect(await importJournal(copy, lines)).toMatchObject({ status: 'imported', runId });
    const plain = (entries: readonly object[]): unknown =>
      JSON.parse(JSON.stringify(entries.map((entry) => ({ ...entry, hash: undefined }))));
    expect(plain(await copy.journal(runId))).toEqual(plain(journal));
    expect((await copy.summary(runId))?.summary).toEqual((await engine.summary(runId))?.summary);
  }
  return runs.length;
}

describe.each(engines)('on the %s engine', (_, open) => {
  test('a journal that we wrote always verifies, whatever users and models call things', async () => {
    const engine = open();
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        await runBody(engine, given);
        await runTheAgent(engine, given);
        await runStages(engine, given);
      }),
      { numRuns: 120 },
    );
    expect(await checkAll(engine, open)).toBeGreaterThan(120);
  });

  test('a call whose id no store could hold is asked about under an escaped one, and goes on', async () => {
    const engine = open();
    const calls = { toolCalls: [{ tool: 'ask', input: {}, id: 'a\u0000\ud800%/' }] };
    const model = scriptedModel([calls, { text: 'done' }]);
    const result = await runAgent({
      model,
      prompt: 'go',
      engine,
      tools: { ask: { needsApproval: true, execute: () => 1 } },
    });
    expect(result.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'a%00%uD800%/' }] });
    expect(await engine.answer(result.runId, 'a%00%uD800%/', { decision: 'approve' })).toMatchObject({
      status: 'delivered',
    });
    expect(await verifyJournal(await engine.journal(result.runId))).toMatchObject({ verdict: 'consistent' });
  });
});
