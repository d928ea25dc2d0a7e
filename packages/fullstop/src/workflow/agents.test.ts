import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineRun } from '../run/define-run.js';
import type { JsonObject } from '../termination/json.js';
import { causeChain, rootCause } from '../termination/root-cause.js';
import { directoryWith, eventsOf, runText, workflowFrom, world } from './workflow.fixture.js';

const one = (more = '', output = '{v: "{{ m.output | json }}"}'): string => `
workflow: {name: w, entry_point: m}
agents: [{name: m, prompt: "go"${more}}]
output: ${output}
`;

describe('agent steps', () => {
  it('end as their agents do, and the workflow says so', async () => {
    const model = scriptedModel([{ error: 'auth' }]);
    const result = await runText(one(), { model });
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      child: { name: 'm', path: 'm' },
      termination: { kind: 'provider_auth' },
    });
    expect(result.category).toBe('fatal');
  });

  it('keep an object that their model returned as one, and put text under result, JSON or not', async () => {
    const object = scriptedModel([{ output: { n: 1, list: [2] } }]);
    expect((await runText(one(), { model: object })).output).toEqual({ v: { n: 1, list: [2] } });
    const raw = scriptedModel([{ output: { n: 1 } }]);
    expect((await runText(one(', output_mode: raw'), { model: raw })).output).toEqual({ v: { n: 1 } });
    const words = scriptedModel([{ text: '{"n": 1}' }]);
    expect((await runText(one(), { model: words })).output).toEqual({ v: { result: '{"n": 1}' } });
  });

  it('continue where they stopped when the run is resumed', async () => {
    const model = scriptedModel([{ error: { status: 503 } }, { text: 'there' }]);
    const result = await runText(one(', retry: {max_attempts: 1}'), { model });
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'provider_failed', attempts: 1 },
    });
    expect((await result.resume()).output).toEqual({ v: { result: 'there' } });
  });

  it.each([
    ['{max_attempts: 2, delay_seconds: 0, retry_on: [timeout]}', 'timeout', 'flow_completed'],
    ['{max_attempts: 2, delay_seconds: 0, retry_on: [timeout]}', 'error', 'child_failed'],
    ['{max_attempts: 2, delay_seconds: 0, retry_on: [provider_error]}', 'timeout', 'child_failed'],
    ['{max_attempts: 2, delay_seconds: 0, retry_on: [provider_error]}', 'error', 'flow_completed'],
    ['{max_attempts: 2, delay_seconds: 0}', 'timeout', 'flow_completed'],
  ])('with retry %s meet a %s: %s', async (retry, trouble, kind) => {
    const first = trouble === 'timeout' ? { text: 'late', delay: '20s' } : { error: { status: 503 } };
    const model = scriptedModel([first, { text: 'there' }]);
    const text = one(`, retry: ${retry}`).replace('entry_point: m', 'entry_point: m, runtime: {timeout: 5}');
    expect((await runText(text, { model })).termination.kind).toBe(kind);
  });

  it('may correct an output that does not fit, as often as the file says', async () => {
    const fields = ', output: {n: {type: number, minimum: 1}}, retry: {max_parse_recovery_attempts: 2}';
    const model = scriptedModel([{ text: 'seven' }, { text: '{"n": 0}' }, { text: '```json\n{"n": 7.0}\n```' }]);
    const result = await runText(one(fields), { model });
    expect(result.outputText).toBe('{"v": {"n": 7.0}}');
    expect((await eventsOf(result)).filter((type) => type === 'agent_parse_recovery')).toHaveLength(2);
    const never = scriptedModel([{ text: '{"n": 0}' }], { exhausted: 'repeat-last' });
    expect((await runText(one(fields), { model: never })).termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'structured_output_exhausted', attempts: 3, violations: [{ path: 'n' }] },
    });
  });

  it('use the tools that the run was given, by the names of the file', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'search', input: { q: 'x' } }] }, { text: 'found' }]);
    const long = 'y'.repeat(3000);
    const calls: unknown[] = [];
    const search = {
      description: 'Searches',
      inputSchema: { type: 'object' },
      execute: (input: unknown) => {
        calls.push(input);
        return long;
      },
    };
    const text = `
workflow: {name: w, entry_point: m, runtime: {tool_output: {max_chars: 1000, spill_to_file: false}}}
tools: [search]
agents: [{name: m, prompt: go}]
output: {v: "{{ m.output.result }}"}
`;
    const result = await runText(text, { model, tools: { search } });
    expect(result.output).toEqual({ v: 'found' });
    expect(calls).toEqual([{ q: 'x' }]);
    const journal = JSON.stringify(await result.journal());
    expect(journal).toContain('[cut: 2000 of 3000 characters left out.]');
    expect(journal).not.toContain('y'.repeat(1001));
  });

  it.each([
    ['', 'The file asks for copilot, as every file does that names no provider. That is not available here.'],
    [', provider: scripted', 'The file asks for scripted answers.'],
    [', provider: groq', 'names no model for groq'],
  ])('are refused before the start when their provider is not there%s', async (more, message) => {
    const { engine } = world();
    const text = `workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, value: "1", routes: [{to: m}]}, {name: m, prompt: go${more}}]
`;
    const run = workflowFrom(text).run({}, { engine, runId: 'r' });
    await expect(run).rejects.toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(message) });
    expect(await engine.summary('r')).toBeUndefined();
  });

  it('matter only where a run can reach them, and with lenient only when it does', async () => {
    const text = (to: string): string => `
workflow: {name: w, entry_point: s}
agents:
  - {name: s, type: set, value: "1", routes: [{when: "output == 2", to: ${to}}, {to: $end}]}
  - {name: m, prompt: go}
output: {v: "{{ s.output }}"}
`;
    expect((await runText(text('$end'))).output).toEqual({ v: 1 });
    await expect(runText(text('m'))).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect((await runText(text('m'), { lenient: true })).output).toEqual({ v: 1 });
    const reached = await runText(text('m').replace('== 2', '== 1'), { lenient: true });
    expect(reached.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'failed', error: { name: 'ProviderError' }, errorClass: 'configuration' },
    });
  });

  it('keep the whole of a long result of a tool in a file', async () => {
    const directory = directoryWith({});
    const model = scriptedModel([{ toolCalls: [{ tool: 'search', input: {} }] }, { text: 'found' }]);
    const search = { inputSchema: { type: 'object' }, execute: () => ({ rows: 'y'.repeat(3000) }) };
    const text = `
workflow: {name: w, entry_point: m, runtime: {tool_output: {max_chars: 1000, spill_dir: "${directory}"}}}
tools: [search]
agents: [{name: m, prompt: go}]
`;
    const result = await runText(text, { model, tools: { search } });
    const journal = JSON.stringify(await result.journal());
    const [, file = ''] = /The whole is in (\S+\.txt)\./.exec(journal) ?? [];
    expect(file.startsWith(directory)).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ rows: 'y'.repeat(3000) });
  });

  it('continue after their limit of turns with a file that has a larger one', async () => {
    const { engine } = world();
    const model = scriptedModel([{ toolCalls: [{ tool: 'look', input: {} }] }, { text: 'seen' }]);
    const look = { inputSchema: { type: 'object' }, execute: () => 'something' };
    const text = (most: number): string => `
workflow: {name: w, entry_point: m}
tools: [look]
agents: [{name: m, prompt: go, max_agent_iterations: ${most}}]
output: {v: "{{ m.output.result }}"}
`;
    const options = { model, tools: { look } };
    const stopped = await workflowFrom(text(1), options).run({}, { engine, runId: 'r' });
    expect(stopped.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'max_iterations', limit: 1 },
    });
    await expect(stopped.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    const done = await workflowFrom(text(5), options).resume('r', { engine, useCurrent: true });
    expect(done.output).toEqual({ v: 'seen' });
  });

  it.each([
    ['', 'm'],
    [', validator: {criteria: "is short"}', 'm/agent'],
  ])('go on behind their limit of turns with a larger one, and with what they are told%s', async (more, path) => {
    const asked: string[] = [];
    const model = scriptedModel(
      {
        m: [
          { toolCalls: [{ tool: 'look', input: {} }] },
          { toolCalls: [{ tool: 'look', input: {} }] },
          { text: 'seen' },
        ],
        '*': [{ output: { verdict: 'accept', passed: true, issues: [], feedback: '' } }],
      },
      { onCall: ({ agent, options }) => void (agent === 'm' && asked.push(JSON.stringify(options.prompt))) },
    );
    const look = { inputSchema: { type: 'object' }, execute: () => 'something' };
    const child = `
workflow: {name: c, entry_point: m}
tools: [look]
agents: [{name: m, prompt: go, max_agent_iterations: 1${more}}]
output: {v: "{{ m.output.result }}"}
`;
    const parent = `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: workflow, workflow: child.yaml}]
output: {v: "{{ s.output.v }}"}
`;
    const stopped = await runText(parent, { model, tools: { look }, files: { 'child.yaml': child } });
    expect(rootCause(stopped.termination)).toMatchObject({ kind: 'max_iterations', limit: 1, unit: 'iteration' });
    expect(causeChain(stopped.termination).at(-1)?.child.path).toBe(`s/${path}`);
    for (const most of [undefined, 1]) {
      const options = most === undefined ? {} : { maxIterations: most };
      await expect(stopped.resume(options)).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    }
    const again = await stopped.resume({ maxIterations: 2, guidance: 'Be quick.' });
    expect(rootCause(again.termination)).toMatchObject({ kind: 'max_iterations', limit: 2, used: 2 });
    const done = await again.resume({ maxIterations: 5 });
    expect(done.output).toEqual({ v: 'seen' });
    expect(asked.map((prompt) => prompt.includes('Be quick.'))).toEqual([false, true, true]);
  });

  it('are the only ones that accept guidance', async () => {
    const result = await runText(
      'workflow: {name: w, entry_point: a}\nagents: [{name: a, type: script, command: nope}]\n',
    );
    await expect(result.resume({ guidance: 'Try harder.' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('say how to run a file whose provider is not there', async () => {
    await expect(runText(one())).rejects.toThrow(
      /--provider openai --model gpt-5, or say in fullstop\.config what it stands for: models: \{ "copilot"/,
    );
  });

  it('take the model that the run maps a provider or a model to', async () => {
    const named = (name: string) => scriptedModel([{ text: name }], { exhausted: 'repeat-last' });
    const text = (more: string): string => one(more, '{v: "{{ m.output.result }}"}');
    const models = { copilot: named('provider'), big: named('model'), 'claude/big': named('both') };
    expect((await runText(text(''), { models })).output).toEqual({ v: 'provider' });
    expect((await runText(text(', model: big'), { models })).output).toEqual({ v: 'model' });
    expect((await runText(text(', provider: claude, model: big'), { models })).output).toEqual({ v: 'both' });
    const asked: string[] = [];
    const loadModel = async (name: string) => {
      asked.push(name);
      return named('loaded');
    };
    await runText(text(', provider: claude'), { loadModel });
    await runText(text(''), { loadModel, provider: 'openai', defaultModel: 'gpt-5' });
    expect(asked).toEqual(['anthropic/claude-3-5-sonnet-latest', 'openai/gpt-5']);
  });

  it('have the instructions of the file before every prompt, those of the parent first', async () => {
    const prompts: string[] = [];
    const model = scriptedModel([{ text: 'ok' }], {
      exhausted: 'repeat-last',
      onCall: ({ options }) => prompts.push(JSON.stringify(options.prompt)),
    });
    await runText(
      'workflow: {name: w, entry_point: s, instructions: [be brief]}\nagents: [{name: s, type: workflow, workflow: child.yaml}]\n',
      {
        model,
        files: {
          'child.yaml':
            'workflow: {name: c, entry_point: m, instructions: [be kind]}\nagents: [{name: m, prompt: hello, system_prompt: "you are {{ workflow.name }}"}]\n',
        },
      },
    );
    expect(prompts[0]).toContain('be brief\\n\\n---\\n\\nbe kind');
    expect(prompts[0]).toContain('</workspace_instructions>\\n\\nhello');
    expect(prompts[0]).toContain('you are c');
  });

  it('are judged by a second call, and try once more with what it found', async () => {
    const prompts: string[] = [];
    const model = scriptedModel(
      {
        m: [{ text: 'draft' }, { text: 'better' }],
        'm (validator)': [{ output: { passed: false, issues: ['too short'] } }],
      },
      { onCall: ({ agent, options }) => prompts.push(`${agent}: ${JSON.stringify(options.prompt.at(-1)?.content)}`) },
    );
    const result = await runText(one(', validator: {criteria: "is long"}'), { model });
    expect(result.output).toEqual({ v: { result: 'better' } });
    expect(prompts[2]).toContain('Validation feedback:\\n- too short');
    const mute = scriptedModel({ m: [{ text: 'draft' }], 'm (validator)': [{ error: 'auth' }] });
    expect((await runText(one(', validator: {criteria: "is long"}'), { model: mute })).output).toEqual({
      v: { result: 'draft' },
    });
  });

  it('talk to a person where the file says so, durably', async () => {
    const { engine } = world();
    const model = scriptedModel({
      m: [{ text: 'plan A' }, { text: 'plan B' }],
      'm (dialog)': [
        { output: { trigger: true, reason: 'unclear', question: 'Which city?' } },
        { text: 'Understood. [READY_TO_CONTINUE]' },
      ],
    });
    const workflow = workflowFrom(one(', dialog: {trigger_prompt: "when a city is missing"}'), { model });
    const paused = await workflow.run({}, { engine, runId: 'r' });
    expect(paused.termination).toMatchObject({
      kind: 'interaction_pending',
      requests: [{ id: 'm.dialog', type: 'input' }],
    });
    const answers = { 'm.dialog': { decision: 'value', value: 'Berlin' } } as const;
    expect((await workflow.resume('r', { engine, answers })).output).toEqual({ v: { result: 'plan B' } });
  });

  it('are stopped at their own time limit', async () => {
    const model = scriptedModel([{ text: 'late', delay: '1h' }]);
    const result = await runText(one(', timeout_seconds: 1'), { model });
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'time_budget', limitMs: 1000 },
    });
    expect(await eventsOf(result)).toContain('agent_timeout');
  });

  it('spend a budget that is kept or only watched, and a larger one lets the run continue', async () => {
    const text = (mode: string): string => `
workflow:
  name: w
  entry_point: m
  limits: {budget_usd: 0.01, budget_mode: ${mode}}
  cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}
agents:
  - {name: m, model: tiny, prompt: spend, routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
    const model = () => scriptedModel([{ text: 'ok', usage: { inputTokens: 2000, outputTokens: 100 } }]);
    expect((await runText(text('audit'), { model: model() })).output).toEqual({ v: 'after' });
    const stopped = await runText(text('enforce'), { model: model() });
    expect(stopped.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.01, usedUsd: 0.022 });
    expect(stopped.history).toEqual(['m']);
    await expect(stopped.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });
    expect((await stopped.resume({ budgetUsd: 1 })).output).toEqual({ v: 'after' });
  });

  it('are judged with their prompt in view', async () => {
    const seen: string[] = [];
    const model = scriptedModel(
      { m: [{ text: 'draft' }], 'm (validator)': [{ output: { passed: true, issues: [] } }] },
      { onCall: ({ options }) => seen.push(JSON.stringify(options.prompt)) },
    );
    await runText(one(', validator: {criteria: "is long"}').replace('"go"', '"unmistakable"'), { model });
    expect(seen[1]).toContain('unmistakable');
  });
});

describe('the name workflow in templates', () => {
  it('has the name and the description of the file, in every context mode', async () => {
    for (const mode of ['accumulate', 'explicit', 'last_only']) {
      const { output } = await runText(`
workflow: {name: w, description: Finds bugs, entry_point: a, context: {mode: ${mode}}}
agents: [{name: a, type: set, value: "{{ workflow.name }} - {{ workflow.description }}"}]
output: {v: "{{ a.output }}", d: "{{ workflow.description }}"}
`);
      expect(output).toEqual({ v: 'w - Finds bugs', d: 'Finds bugs' });
    }
  });
});

describe('inputs', () => {
  const text = `
workflow: {name: w, entry_point: a, input: {n: {type: number}, s: {type: string, required: false}}}
agents: [{name: a, type: set, value: "{{ workflow.input.n }}"}]
output: {v: "{{ a.output }}"}
`;

  it('are checked before anything starts', async () => {
    await expect(runText(text)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('the input "n" (number) is missing'),
    });
    await expect(runText(text, { inputs: { n: 'x', s: 1 } })).rejects.toMatchObject({
      issues: [
        { message: 'the input "n" must be of type number' },
        { message: 'the input "s" must be of type string' },
      ],
    });
  });

  it('are checked inside another run too, which ends instead of throwing', async () => {
    const workflow = workflowFrom(text);
    const around = defineRun({
      name: 'around',
      run: (context, inputs: JsonObject) => workflow.within(context, inputs),
    });
    const engine = memoryEngine();
    expect((await around.run({ n: 2 }, { engine })).output).toEqual({ v: 2 });
    expect((await around.run({ n: 'two' }, { engine })).termination).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: { message: 'The workflow w cannot start: the input "n" must be of type number.' },
    });
    const lenient = workflowFrom(text, { lenient: true });
    const loose = defineRun({ name: 'loose', run: (context, inputs: JsonObject) => lenient.within(context, inputs) });
    expect((await loose.run({ n: 'two' }, { engine })).output).toEqual({ v: 'two' });
  });

  it('keep 1.0 and large integers when they come as JSON text', async () => {
    expect((await runText(text, { inputs: '{"n": 1.0}' })).outputText).toBe('{"v": 1.0}');
    expect((await runText(text, { inputs: '{"n": 12345678901234567890}' })).outputText).toBe(
      '{"v": 12345678901234567890}',
    );
  });
});
