import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { defineAgent } from './define-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { handOff } from './tools/hand-off.js';

const numberOrNull = z.number().nullable().catch(null);
const unknownAsNull = z.object({ answer: z.string() }).transform((given) => (given.answer === 'n/a' ? null : given));
const nothing = z.unknown().transform(() => undefined);

/** The value that a schema makes of an answer which it accepts. */
const cases = {
  'null by a default': { output: numberOrNull, text: '"abc"', expected: null },
  'null by a transformation': { output: unknownAsNull, text: '{"answer":"n/a"}', expected: null },
  'null that was answered': { output: z.null(), text: 'null', expected: null },
  zero: { output: z.unknown().transform(() => 0), text: '1', expected: 0 },
  false: { output: z.unknown().transform(() => false), text: '1', expected: false },
  'an empty text': { output: z.unknown().transform(() => ''), text: '1', expected: '' },
  'nothing at all': { output: nothing, text: '{"raw":1}', expected: undefined },
} as const;

function answering(text: string, output: unknown) {
  return defineAgent({
    name: 'inner',
    model: scriptedModel([{ text }]) as LanguageModel,
    output: output as z.ZodUnknown,
  });
}

describe.each(Object.entries(cases))('an answer of which its schema makes %s', (_, { output, text, expected }) => {
  it('has just that as its output, the raw text in text, and the same when its result is read again', async () => {
    const engine = memoryEngine();
    const agent = answering(text, output);
    const result = await agent.run('go', { engine, runId: 'r', alwaysReplay: true });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.output).toBe(expected);
    expect(result.text).toBe(text);
    expect((await agent.result('r', { engine }))?.output).toBe(expected);
  });

  it('has just that as its output in a stream', async () => {
    expect((await answering(text, output).stream('go').result).output).toBe(expected);
  });

  it('has just that as the output of a stage', async () => {
    const result = await pipeline('p')
      .stage(
        's',
        using(answering(text, output), () => 'go'),
      )
      .stage('after', ({ s }) => ({ saw: s.output === undefined ? 'nothing' : (s.output as never) }))
      .run(undefined as never);
    expect(result.output).toEqual({ saw: expected === undefined ? 'nothing' : expected });
  });

  it('has it, or null, as the output of a tool', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'inner', input: { prompt: 'x' } }] }, { text: 'done' }]);
    const tools = { inner: agentAsTool(answering(text, output)) };
    const { toolCalls } = await defineAgent({ name: 'outer', model: model as LanguageModel, tools }).run('go');
    expect(toolCalls[0]?.output).toMatchObject({ value: { output: expected ?? null } });
  });

  it('never has its raw text as the output of the agent that handed over', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'inner', input: {} }] }]);
    const tools = { inner: handOff(answering(text, output)) };
    const result = await defineAgent({ name: 'outer', model: model as LanguageModel, tools }).run('go');
    expect(result.text).toBe(text);
    expect(result.output).toBe(expected);
  });
});
