import { dynamicTool, jsonSchema, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { defineAgent } from '../define-agent.js';
import { agentAsTool } from '../tools/agent-as-tool.js';
import { clientTool } from '../tools/client-tool.js';
import { submitTool } from '../tools/submit-tool.js';
import { requireApproval, type ToolLike } from '../tools/tool.js';

const model = scriptedModel([{ text: 'done' }]);
const define = (given: object) => () => defineAgent({ model, tools: { work: given as ToolLike } });
const execute = (): number => 1;

describe('the name of a tool', () => {
  it.each(['a\u0000b', 'half \ud800'])('is refused where no journal could hold its calls: %j', (name) => {
    const named = (): unknown => defineAgent({ model, tools: { [name]: { execute } as ToolLike } });
    expect(named).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(named).toThrow('it must be a text without NUL and without half of a surrogate pair');
  });
});

describe('the fields of a tool', () => {
  it.each([
    [{ excute: execute }, 'tools.work has no field "excute" (did you mean "execute"?)'],
    [{ execute, needApproval: true }, '(did you mean "needsApproval"?)'],
    [{ execute, readonly: true }, '(did you mean "readOnly"?)'],
    [{ execute, timeoutMs: 5 }, '(did you mean "timeout"?)'],
    [{ execute, inputschema: {} }, '(did you mean "inputSchema"?)'],
    [{ execute, aproval: { deadline: '1h' } }, '(did you mean "approval"?)'],
    [{ execute, submit: true }, '(did you mean "submits"?)'],
    [{ execute, parameters: z.object({}) }, '(here it is "inputSchema")'],
    [{ execute, requireApproval: true }, '(here it is "needsApproval")'],
    [{ handler: execute }, '(here it is "execute")'],
  ])('are refused where one of ours was meant: %o', (given, words) => {
    expect(define(given)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
    expect(define(given)).toThrow(words);
  });

  it('of others are left alone', () => {
    const inputSchema = z.object({});
    const full = tool({
      description: 'works',
      title: 'Work',
      inputSchema,
      inputExamples: [{ input: {} }],
      outputSchema: z.number(),
      strict: true,
      providerOptions: { any: { cache: true } },
      needsApproval: false,
      onInputStart: () => undefined,
      onInputDelta: () => undefined,
      onInputAvailable: () => undefined,
      toModelOutput: () => ({ type: 'text', value: 'x' }),
      execute: async () => 1,
    });
    const dynamic = dynamicTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 1 });
    const others = {
      execute,
      inputSchema,
      icon: 'hammer',
      parameters: inputSchema,
      whatever: () => 1,
      excute: undefined,
    };
    const provider = {
      type: 'provider',
      id: 'any.search',
      args: {},
      supportsDeferredResults: true,
      isProviderExecuted: true,
    };
    const ours = [requireApproval({ execute }, { deadline: '1h' }), clientTool({}, { deadline: '1h' }), submitTool()];
    const agent = agentAsTool(defineAgent({ model }), { timeout: '1m' });
    for (const given of [full, dynamic, others, provider, ...ours, agent]) expect(define(given)).not.toThrow();
  });
});
