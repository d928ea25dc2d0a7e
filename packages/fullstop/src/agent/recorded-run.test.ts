import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRecording, recordModel } from '../models/record-model.js';
import type { Script } from '../models/script.js';
import { type ScriptedAnswers, scriptedModel } from '../models/scripted-model.js';
import type { AgentResult } from './agent.js';
import { agentAsTool } from './agent-as-tool.js';
import { defineAgent } from './define-agent.js';

const call = (tool: string, input: Record<string, string>) => ({ text: 'let me see', toolCalls: [{ tool, input }] });

const live: ScriptedAnswers = {
  outer: [
    call('look', { q: 'x' }),
    { error: { status: 429, retryAfter: '1ms' } },
    call('helper', { prompt: 'help' }),
    { text: 'and then', error: 'stream_cut' },
    { text: 'not JSON' },
    { output: { score: 7 } },
  ],
  helper: [call('look', { q: 'y' }), { text: 'helped' }],
};

function agentWith(model: Parameters<typeof defineAgent>[0]['model']) {
  const look = { execute: (input: object) => input };
  const helper = defineAgent({ name: 'helper', model, tools: { look } });
  return defineAgent({
    name: 'outer',
    model,
    tools: { look, helper: agentAsTool(helper) },
    output: z.object({ score: z.number() }),
    retry: { initialDelayMs: 1 },
  });
}

const told = (result: AgentResult<never>): unknown => {
  const { termination, output, text, messages, iterations, toolCalls, children, usage } = result;
  return { termination, output, text, messages, iterations, toolCalls, children, usage };
};

describe('a run with a recorded model', () => {
  it.each(['whole', 'streamed'])('is played from the file as it was lived: %s', async (way) => {
    const options = way === 'whole' ? {} : { onDelta: () => undefined };
    const recording = createRecording();
    const lived = await agentWith(recordModel(scriptedModel(live), recording)).run('go', options);
    expect(lived.termination).toEqual({ kind: 'natural_end' });
    expect(lived.output).toEqual({ score: 7 });
    const file = JSON.parse(JSON.stringify(recording.script())) as Script;
    for (const other of [{}, { onDelta: () => undefined }]) {
      const model = scriptedModel(file);
      const played = await agentWith(model).run('go', other);
      expect(told(played as never)).toEqual(told(lived as never));
      expect(model.remaining()).toEqual({});
    }
  });
});
