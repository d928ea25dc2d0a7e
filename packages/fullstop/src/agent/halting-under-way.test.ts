import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineAgent } from './define-agent.js';
import { approve, halt } from './options/directive.js';
import { runAgent } from './run-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { clientTool } from './tools/client-tool.js';
import { requireApproval } from './tools/tool.js';

const halted = { kind: 'halted', by: { type: 'tool', name: 'guard' }, reason: 'frozen' };
const cancelled = { kind: 'cancelled', by: 'parent', cause: halted };
const inputSchema = { type: 'object' } as const;

const folder = mkdtempSync(join(tmpdir(), 'halting-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const engines: readonly [string, () => Engine][] = [
  ['memory', () => memoryEngine()],
  ['SQLite', () => sqliteEngine(join(folder, `${++files}.db`))],
];

/** Two tools of which the second halts while the first is under way. */
function race() {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const happened: string[] = [];
  const slow = {
    inputSchema,
    execute: (_: object, { abortSignal }: { abortSignal?: AbortSignal }) => {
      happened.push('begun');
      begin();
      return new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => {
          happened.push('aborted');
          reject(new Error('aborted'));
        });
      });
    },
  };
  const guard = { inputSchema, execute: () => begun.then(() => halt('frozen')) };
  return { happened, slow, guard };
}

function calls(...tools: readonly string[]) {
  return scriptedModel([{ toolCalls: tools.map((tool) => ({ tool, id: tool, input: { prompt: 'x' } })) }]);
}

function codes({ toolCalls }: { readonly toolCalls: readonly { tool: string; error?: { code?: string } }[] }) {
  return toolCalls.map(({ tool, error }) => [tool, error?.code]);
}

describe.each(engines)('a halt on %s', (_, makeEngine) => {
  it('shows a call that was under way as aborted, and only one that never began as skipped', async () => {
    const engine = makeEngine();
    const { happened, slow, guard } = race();
    const never = { inputSchema, execute: () => void happened.push('never') };
    const result = await runAgent({
      model: calls('slow', 'guard', 'never'),
      tools: { slow, guard, never },
      toolConcurrency: 2,
      prompt: 'go',
      engine,
      runId: 'r',
    });
    expect(result.termination).toEqual(halted);
    expect(happened).toEqual(['begun', 'aborted']);
    expect(codes(result)).toEqual([
      ['slow', 'ABORTED'],
      ['guard', undefined],
      ['never', 'SKIPPED'],
    ]);
    const said = result.messages.at(-1)?.content as readonly { output: { value: string } }[];
    expect(said[0]?.output.value).toContain('how far it had come is not known');
    expect(said[2]?.output.value).toContain('This call was not made');
    const stop = (await engine.journal('r')).find(({ type }) => type === 'batch_stopped');
    expect(stop?.data).toMatchObject({ notStarted: [expect.stringContaining('tool:1.3:never')] });
  });

  it('says of an approved call that was under way when its process died that nobody knows whether it happened', async () => {
    const first = memoryEngine();
    const options = {
      name: 'teller',
      model: calls('pay', 'guard'),
      tools: {
        pay: requireApproval({ inputSchema, execute: () => 'paid' }),
        guard: requireApproval({ inputSchema, execute: () => halt('frozen') }),
      },
    };
    const agent = defineAgent(options);
    await runAgent({ ...options, prompt: 'go', engine: first, runId: 'r' });
    const asked = await first.openRequests('r');
    const idOf = (name: string): string => asked.find(({ tool }) => tool === name)?.id ?? '';
    await agent.resume('r', { engine: first, answers: { [idOf('pay')]: approve() } });
    const journal = await first.journal('r');
    const started = journal.findIndex(({ type }) => type === 'step_started');
    expect(journal[started]?.key).toContain('pay');

    const engine = makeEngine();
    await engine.importRun(journal.slice(0, started + 1));
    const lost = await agent.resume('r', { engine });
    expect(lost.termination).toMatchObject({ requests: [{ tool: 'guard' }, { type: 'confirm_outcome', tool: 'pay' }] });
    const result = await agent.resume('r', { engine, answers: { [idOf('guard')]: approve() } });
    expect(result.termination).toEqual(halted);
    expect(codes(result)).toEqual([
      ['pay', 'OUTCOME_UNKNOWN'],
      ['guard', undefined],
    ]);
    expect(await engine.openRequests('r')).toEqual([]);
    expect((await agent.result('r', { engine }))?.toolCalls).toEqual(result.toolCalls);
  });

  it('ends an agent under way, whose ending and usage are in the result', async () => {
    const engine = makeEngine();
    const { slow, guard, happened } = race();
    const usage = { inputTokens: 10, outputTokens: 5 };
    const inner = scriptedModel([{ toolCalls: [{ tool: 'slow', id: 'inner' }], usage }]);
    const helper = defineAgent({ name: 'helper', model: inner, tools: { slow } });
    const outer = defineAgent({
      name: 'outer',
      model: calls('helper', 'guard'),
      tools: { helper: agentAsTool(helper), guard },
    });
    const result = await outer.run('go', { engine, runId: 'r' });
    expect(result.termination).toEqual(halted);
    expect(happened).toEqual(['begun', 'aborted']);
    expect(codes(result)).toEqual([
      ['helper', 'ABORTED'],
      ['guard', undefined],
    ]);
    expect(result.children).toMatchObject([
      { name: 'helper', toolCallId: 'helper', termination: cancelled, usage: { totalTokens: 15 } },
    ]);
    const again = await outer.result('r', { engine });
    expect([again?.toolCalls, again?.children]).toEqual([result.toolCalls, result.children]);
  });

  it('ends an agent that waits for a person, and withdraws what it had asked', async () => {
    const engine = makeEngine();
    const paid: string[] = [];
    const pay = requireApproval({ inputSchema, execute: () => void paid.push('paid') });
    const make = () => {
      const helper = defineAgent({ name: 'helper', model: calls('pay'), tools: { pay } });
      const guard = requireApproval({ inputSchema, idempotent: true, execute: () => halt('frozen') });
      return defineAgent({
        name: 'outer',
        model: calls('helper', 'guard'),
        tools: { helper: agentAsTool(helper), guard },
      });
    };
    const paused = await make().run('go', { engine, runId: 'r' });
    expect(paused.termination.kind).toBe('interaction_pending');
    const asked = await engine.openRequests('r');
    expect(asked.map(({ tool }) => tool).sort()).toEqual(['guard', 'pay']);
    const id = asked.find(({ tool }) => tool === 'guard')?.id ?? '';
    const result = await make().resume('r', { engine, answers: { [id]: approve() } });
    expect(result.termination).toEqual(halted);
    expect(await engine.openRequests('r')).toEqual([]);
    expect(codes(result)).toEqual([
      ['helper', 'ABORTED'],
      ['guard', undefined],
    ]);
    expect(result.children).toMatchObject([{ name: 'helper', termination: cancelled }]);
    const again = await make().result('r', { engine });
    expect([again?.toolCalls, again?.children]).toEqual([result.toolCalls, result.children]);

    // After every entry at which the process may die, the same comes of it.
    const journal = await engine.journal('r');
    const answered = journal.findIndex(({ type }) => type === 'request_answered');
    for (let length = answered + 1; length < journal.length; length += 1) {
      const other = memoryEngine();
      await other.importRun(journal.slice(0, length));
      await make().resume('r', { engine: other, answers: {} });
      const entries = await other.journal('r');
      const ended = entries.filter(({ type, segment }) => type === 'segment_ended' && segment === 2);
      expect([length, ended.map(({ data }) => data)]).toMatchObject([length, [{ envelope: { termination: halted } }]]);
      const unit = entries.filter(({ type, key }) => type === 'unit_ended' && key === 'helper:helper');
      expect([length, unit.map(({ data }) => data)]).toMatchObject([length, [{ termination: cancelled }]]);
      // A resume of a run that has ended asks the model again, which asks for other approvals.
      const open = (await other.openRequests('r')).filter(({ id }) => asked.some((request) => request.id === id));
      expect([length, open, paid]).toEqual([length, [], []]);
    }

    // It is over for good: a run that continues after the halt does not wake it.
    const after = await make().resume('r', { engine });
    expect(after.children[0]?.termination).toEqual(cancelled);
    expect(
      (await engine.journal('r')).filter(({ key, type }) => key === 'helper:helper' && type === 'scope_opened'),
    ).toHaveLength(2);
    expect(paid).toEqual([]);
  });

  it('does not call skipped what someone outside was asked to perform', async () => {
    const engine = makeEngine();
    const options = {
      name: 'outer',
      model: calls('outside', 'guard'),
      tools: {
        outside: clientTool({ inputSchema }),
        guard: requireApproval({ inputSchema, execute: () => halt('frozen') }),
      },
    };
    const agent = defineAgent(options);
    await agent.run('go', { engine, runId: 'r' });
    const id = (await engine.openRequests('r')).find(({ tool }) => tool === 'guard')?.id ?? '';
    const result = await agent.resume('r', { engine, answers: { [id]: approve() } });
    expect(result.termination).toEqual(halted);
    expect(codes(result)).toEqual([
      ['outside', 'ABORTED'],
      ['guard', undefined],
    ]);
    expect(await engine.openRequests('r')).toEqual([]);
  });
});
