import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { requireApproval } from '../../packages/fullstop/src/agent/tools/tool.js';
import type { Engine, RunnableDefinition } from '../../packages/fullstop/src/engines/port/engine.js';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import type { RequestAnswer } from '../../packages/fullstop/src/engines/port/request.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { resumedKey } from '../../packages/fullstop/src/run/accounts/active-timeline.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { maxIterations } from '../../packages/fullstop/src/stop/conditions/max-iterations.js';
import type { JsonValue } from '../../packages/fullstop/src/termination/json.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { simulatedClock } from '../../packages/fullstop/src/testing/simulated-clock.js';
import { dispatchesOf, openDbos } from '../postgres/dbos-engine.js';
import { isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { engines } from './engines.js';

const database = testDatabase();

const times = /^(at|openedAt|startedAt|endedAt|answeredAt|deadline|until|durationMs|latencyMs|headHash|hash)$/;

/**
 * A journal without its times and hashes, which are made of them, and without what it says about active time where that took long.
 * Ids were given, so that they are the same.
 */
async function timeless(engine: Engine, runId: string): Promise<readonly JournalEntry[]> {
  const entries = (await engine.journal(runId)).filter(({ key }) => key !== resumedKey);
  const numbered = entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
  const text = JSON.stringify(numbered, (key, value: unknown) => (times.test(key) ? undefined : value));
  return JSON.parse(text) as readonly JournalEntry[];
}

/**
 * A segment that an answer opens says who gave it; one that `resume` opens says with which options, because only a caller has any. That is a
 * difference between two ways to continue a run, and the same on every engine.
 */
function withoutResumption(entry: JournalEntry): unknown {
  if (entry.type !== 'segment_opened') return entry;
  const { by: _by, options: _options, ...data } = entry.data;
  return { ...entry, data };
}

/** A run that asks once and ends once it is answered. */
interface Example {
  readonly definition: RunnableDefinition;
  readonly runId: string;
  readonly input: JsonValue;
  readonly requestId: string;
  readonly answer: RequestAnswer;
  /** Starts and resumes it in this process, as its caller. */
  call(engine: Engine): Promise<void>;
}

function everything(): Example {
  const definition = defineRun({
    name: 'work',
    run: async (context, { count }: { readonly count: number }) => {
      for (let step = 0; step < count; step += 1)
        await context.step(`step ${step}`, () => ({ step, large: 'x'.repeat(70_000) }));
      await context.step('once', () => 'paid', { once: true });
      await context.step('fails', () => Promise.reject(new Error('no'))).catch(() => undefined);
      await context.record('verdict', () => 'good');
      await context.child('left', async (inner) => {
        await inner.step('inside', () => 1);
        return terminations.naturalEnd();
      });
      await context.sleep('nap', 0);
      const { value } = await context.wait({ id: 'go', type: 'input', summary: 'How many?' });
      return terminations.custom({ reason: `for ${JSON.stringify(value)}`, category: 'success' });
    },
  });
  const [runId, input, requestId] = ['work', { count: 3 }, 'go'];
  const answer = { decision: 'value', value: 7, by: 'ann' } as const;
  return {
    ...{ definition, runId, input, requestId, answer },
    call: async (engine) => {
      await definition.run(input, { engine, runId });
      await definition.resume(runId, { engine, answers: { [requestId]: answer } });
    },
  };
}

function asker(): Example {
  const deploy = { inputSchema: z.object({ version: z.string() }), execute: async () => ({ deployed: true }) };
  const definition = defineAgent({
    name: 'deployer',
    model: scriptedModel([
      { toolCalls: [{ tool: 'deploy', input: { version: '2.4' }, id: 'call_7' }] },
      { text: 'Version 2.4 is live.' },
    ]),
    tools: { deploy: requireApproval(deploy) },
    stopWhen: [maxIterations(30)],
  });
  const [runId, input, requestId] = ['ship', 'Ship 2.4', 'call_7'];
  const answer = { decision: 'approve', by: 'maria' } as const;
  return {
    ...{ definition, runId, input, requestId, answer },
    call: async (engine) => {
      await definition.run(input, { engine, runId });
      await definition.resume(runId, { engine, answers: { [requestId]: answer } });
    },
  };
}

async function called(engine: Engine, { call, runId }: Example): Promise<readonly JournalEntry[]> {
  await call(engine);
  return timeless(engine, runId);
}

/** Leaves both segments to a worker. */
async function dispatched(engine: Engine, example: Example): Promise<readonly JournalEntry[]> {
  const { definition, runId, input, requestId, answer } = example;
  const { name, version } = definition;
  engine.worker([definition]);
  expect(await engine.start({ runId, name, version, input })).toBe('started');
  await engine.waitForEnding(runId, 1);
  expect(await engine.answer(runId, requestId, answer)).toMatchObject({ status: 'delivered' });
  await engine.waitForEnding(runId, 2);
  return timeless(engine, runId);
}

describe.each([
  ['a run of everything', everything],
  ['an agent that asks', asker],
] as const)('%s', (_, example) => {
  const [[, openFirst], ...others] = engines as readonly [(typeof engines)[number], ...(typeof engines)[number][]];

  test.each(others)('has the same journal on %s as in memory, but for times', async (_name, open) => {
    const expected = await called(openFirst(), example());
    expect(expected.length).toBeGreaterThan(8);
    expect(await called(open(), example())).toEqual(expected);
  });

  test.skipIf(isPostgresMissing)('has it on DBOS too, which dispatches each segment to a worker', async () => {
    const expected = await dispatched(openFirst(), example());
    const { runId } = example();
    const schema = `runs_${runId}`;
    const engine = openDbos({ url: database.url, schema, clock: simulatedClock() });
    expect(await dispatched(engine, example())).toEqual(expected);
    const segments = (await dispatchesOf(database.url, schema)).map(({ attributes }) => attributes['segment']);
    expect(new Set(segments)).toEqual(new Set([1, 2]));
    const inProcess = await called(openFirst(), example());
    expect(expected.map(withoutResumption)).toEqual(inProcess.map(withoutResumption));
  });
});
