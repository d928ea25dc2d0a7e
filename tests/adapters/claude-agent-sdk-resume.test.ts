import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { resumeWithEnding, withEnding } from '../../packages/fullstop/src/adapters/claude-agent-sdk/index.js';
import { knownTerminalReasons } from '../../packages/fullstop/src/adapters/claude-agent-sdk/result-cause.js';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import { type FakeAnswer, fakeMessagesApi } from './fakes/messages-api.js';
import { asking, claudeSession, deferring, neverAsked, searching } from './frameworks/claude-agent-sdk.js';
import { cacheFolder, loadFramework } from './load-framework.js';

const sdk = await loadFramework('claude-agent-sdk', '@anthropic-ai/claude-agent-sdk');
const deploying: FakeAnswer = { call: { name: 'mcp__my__deploy', input: { to: 'prod' } } };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function stage(answers: readonly FakeAnswer[], settings: object) {
  const home = mkdtempSync(join(tmpdir(), 'fullstop-claude-'));
  const api = await fakeMessagesApi(answers);
  closing.push(
    () => api.close(),
    () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }),
  );
  return { api, home, ...claudeSession(sdk, home, api.url, settings) };
}

test('a deferred call that was approved is made once, in its session', async () => {
  const { api, options, deployed } = await stage([deploying, { text: 'shipped' }], {
    hooks: deferring('mcp__my__deploy'),
  });
  const given = { prompt: 'ship it', options };
  const engine = memoryEngine();
  const first = await withEnding(sdk.query, given, { engine, runId: 'ship' });
  expect(first.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ id: 'toolu_1' }] });
  expect(deployed).toEqual([]);
  const answers = { toolu_1: { decision: 'approve' } } as const;
  const second = await resumeWithEnding(sdk.query, given, { engine, runId: 'ship', answers });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.run.output).toBe('shipped');
  expect(deployed).toEqual(['prod']);
  expect(api.requests).toHaveLength(2);
});

test('a deferred call that was declined is not made, and the model hears why', async () => {
  const { api, options, deployed } = await stage([deploying, { text: 'as you wish' }], {
    hooks: deferring('mcp__my__deploy'),
  });
  const first = await withEnding(sdk.query, { prompt: 'ship it', options });
  const second = await first.run.resume({ answers: { toolu_1: { decision: 'deny', reason: 'not on a Friday' } } });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(deployed).toEqual([]);
  expect(JSON.stringify(api.requests.at(-1)?.messages)).toContain('not on a Friday');
});

test.each([
  ['by its question', { 'Which one?': 'B' }],
  ['as a text, which answers the first question', 'B'],
])('a deferred question of the model gets its answer %s', async (_way, value) => {
  const { api, options } = await stage([asking, { text: 'B it is' }], {
    tools: ['AskUserQuestion'],
    hooks: deferring('AskUserQuestion'),
    canUseTool: neverAsked,
  });
  const first = await withEnding(sdk.query, { prompt: 'choose', options });
  expect(first.termination).toMatchObject({
    kind: 'interaction_pending',
    requests: [{ id: 'toolu_1', type: 'input' }],
  });
  const second = await first.run.resume({ answers: { toolu_1: { decision: 'value', value } } });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  // The text of the result is inside JSON.
  expect(JSON.stringify(api.requests.at(-1)?.messages)).toContain(String.raw`\"Which one?\"=\"B\"`);
});

test('a session that reached its limit of turns continues with a larger one', async () => {
  const { api, home, options } = await stage([searching('a'), { text: 'found it' }], { maxTurns: 1 });
  const engine = memoryEngine();
  const first = await withEnding(sdk.query, { prompt: 'find it', options }, { engine, runId: 'find' });
  expect(first.termination).toMatchObject({ kind: 'max_iterations', limit: 1, used: 1, unit: 'turn' });
  expect(first.run.resumable).toEqual({ how: 'raise_limit' });
  const { options: more } = claudeSession(sdk, home, api.url, { maxTurns: 5 });
  const second = await resumeWithEnding(sdk.query, { prompt: 'find it', options: more }, { engine, runId: 'find' });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.run.output).toBe('found it');
  expect(JSON.stringify(api.requests.at(-1)?.messages)).toContain('find it');
});

test('every terminal reason that the SDK declares has an ending', () => {
  const file = join(cacheFolder, 'claude-agent-sdk/node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts');
  const [, union = ''] = /export declare type TerminalReason = ([^;]+);/.exec(readFileSync(file, 'utf8')) ?? [];
  const declared = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => reason);
  expect(declared).toHaveLength(19);
  expect(declared.sort()).toEqual([...knownTerminalReasons].sort());
});
