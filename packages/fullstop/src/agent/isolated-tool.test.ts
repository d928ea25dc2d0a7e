import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { isolate } from '../run/isolate/isolate.js';
import type { AgentResult } from './agent.js';
import { runAgent } from './run-agent.js';
import type { ToolLike } from './tools/tool.js';

const module = new URL('../run/isolate/isolated-functions.fixture.js', import.meta.url);
const minute = 60_000;

function isolatedTool(name: string, timeoutMs: number): ToolLike {
  const work = isolate({ module, export: name, timeoutMs });
  return { execute: (input: unknown, { signal }) => work((input as { number?: number }).number, { signal }) };
}

interface CalledOnce extends Pick<AgentResult, 'termination' | 'toolCalls'> {
  /** The messages of tools in the last prompt. */
  readonly read: string;
}

/** Runs an agent that calls the tool once, and returns its result with what the model reads next. */
async function callOnce(tool: ToolLike): Promise<CalledOnce> {
  let read = '';
  const model = scriptedModel([{ toolCalls: [{ tool: 'work', input: { number: 21 } }] }, { text: 'done' }], {
    onCall: ({ options }) => {
      read = JSON.stringify(options.prompt.filter(({ role }) => role === 'tool'));
    },
  });
  const { termination, toolCalls } = await runAgent({ model, tools: { work: tool }, prompt: 'go' });
  return { termination, toolCalls, read };
}

describe('a tool whose function is isolated', () => {
  it('has the result of the function', async () => {
    const { termination, toolCalls, read } = await callOnce(isolatedTool('double', minute));
    expect(termination).toEqual({ kind: 'natural_end' });
    expect(toolCalls).toMatchObject([{ output: { type: 'json', value: 42 } }]);
    expect(read).toContain('42');
  });

  it.each([
    ['loops without end is ended after its time', 'loopForever', 'ISOLATED_TIMEOUT', 'loopForever took longer than'],
    ['throws', 'refuse', 'REFUSED', 'Not that one.'],
    ['ends its thread', 'leave', 'ISOLATED_EXITED', 'ended its thread with code 3'],
  ])('that %s has an error with a code, which the model reads', async (_, name, code, words) => {
    const timeoutMs = name === 'loopForever' ? 300 : minute;
    const { termination, toolCalls, read } = await callOnce(isolatedTool(name, timeoutMs));
    expect(termination).toEqual({ kind: 'natural_end' });
    expect(toolCalls).toMatchObject([{ output: { type: 'error-text' }, error: { code } }]);
    expect(read).toContain(words);
  });

  it('that loops without end holds up neither the other calls of its turn nor the end of its run', async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ toolCalls: [{ tool: 'loop' }, { tool: 'stop' }] }]);
    const stop: ToolLike = {
      execute: () => {
        controller.abort();
        return 'stopped';
      },
    };
    const tools = { loop: isolatedTool('loopForever', 10 * minute), stop };
    const { termination } = await runAgent({ model, tools, prompt: 'go', signal: controller.signal });
    expect(termination.kind).toBe('cancelled');
  });
});
