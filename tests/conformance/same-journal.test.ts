import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { requireApproval } from '../../packages/fullstop/src/agent/tools/tool.js';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { resumedKey } from '../../packages/fullstop/src/run/accounts/active-timeline.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { maxIterations } from '../../packages/fullstop/src/stop/conditions/max-iterations.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { engines } from './engines.js';

const times = /^(at|openedAt|startedAt|endedAt|answeredAt|deadline|until|durationMs|latencyMs|headHash|hash)$/;

/**
 * A journal without its times and hashes, which are made of them, and without what it says about active time where that took long.
 * Ids were given, so that they are the same.
 */
async function timeless(engine: Engine, runId: string): Promise<unknown> {
  const entries = (await engine.journal(runId)).filter(({ key }) => key !== resumedKey);
  const numbered = entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
  const text = JSON.stringify(numbered, (key, value: unknown) => (times.test(key) ? undefined : value));
  return JSON.parse(text) as unknown;
}

const work = defineRun({
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

async function runWork(engine: Engine): Promise<unknown> {
  await work.run({ count: 3 }, { engine, runId: 'work' });
  await work.resume('work', { engine, answers: { go: { decision: 'value', value: 7, by: 'ann' } } });
  return timeless(engine, 'work');
}

async function runAgent(engine: Engine): Promise<unknown> {
  const deploy = { inputSchema: z.object({ version: z.string() }), execute: async () => ({ deployed: true }) };
  const deployer = defineAgent({
    name: 'deployer',
    model: scriptedModel([
      { toolCalls: [{ tool: 'deploy', input: { version: '2.4' }, id: 'call_7' }] },
      { text: 'Version 2.4 is live.' },
    ]),
    tools: { deploy: requireApproval(deploy) },
    stopWhen: [maxIterations(30)],
  });
  await deployer.run('Ship 2.4', { engine, runId: 'ship' });
  await deployer.resume('ship', { engine, answers: { call_7: { decision: 'approve', by: 'maria' } } });
  return timeless(engine, 'ship');
}

describe.each([
  ['a run of everything', runWork],
  ['an agent that asks', runAgent],
] as const)('%s', (_, run) => {
  const [[, openFirst], ...others] = engines as readonly [(typeof engines)[number], ...(typeof engines)[number][]];

  test.each(others)('has the same journal on %s as in memory, but for times', async (_name, open) => {
    const expected = (await run(openFirst())) as readonly unknown[];
    expect(expected.length).toBeGreaterThan(8);
    expect(await run(open())).toEqual(expected);
  });
});
