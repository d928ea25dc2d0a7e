import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { openEngine } from '../engines/sqlite/engine.fixture.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { exportJournal, importJournal } from '../run/journal/journal-file.js';
import { verifyJournal } from '../run/journal/verify-journal.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { maxToolCalls } from '../stop/conditions/max-tool-calls.js';
import type { AgentResult } from './agent.js';
import { defineAgent } from './define-agent.js';
import { approve } from './options/directive.js';
import { goal } from './options/goal.js';
import { agentAsTool } from './tools/agent-as-tool.js';
import { requireApproval } from './tools/tool.js';

/** The traces that the definitions of one test left. */
interface Traces {
  /** The tools that were executed, by their name and the release they are of. */
  readonly calls: string[];
  /** The prompts of the model, as JSON. */
  readonly prompts: string[];
}

/** The releases of one agent: three searches, then a deployment that a person has to approve. */
function makeReleases() {
  const traces: Traces = { calls: [], prompts: [] };
  const model = scriptedModel(({ options: { prompt } }) => {
    traces.prompts.push(JSON.stringify(prompt));
    const results = prompt.filter(({ role }) => role === 'tool').length;
    if (results < 3) return { toolCalls: [{ tool: 'search', input: { page: results }, id: `s${results}` }] };
    if (results === 3) return { toolCalls: [{ tool: 'deploy', input: { to: 'eu' }, id: 'd' }] };
    return { text: 'finished' };
  });
  const tool = (name: string, release: string) => ({
    inputSchema: { type: 'object' },
    execute: () => {
      traces.calls.push(`${name} ${release}`);
      return `${name} of ${release}`;
    },
  });
  const tools = (release: string) => ({
    search: tool('search', release),
    deploy: requireApproval(tool('deploy', release)),
  });
  const old = {
    name: 'deployer',
    model,
    instructions: 'old words',
    tools: tools('old'),
    stopWhen: [maxIterations(20)],
  };
  const release = (changes: object = {}) => defineAgent({ ...old, ...changes } as typeof old);
  return { traces, old, release, tools, tool };
}

type Releases = ReturnType<typeof makeReleases>;
const answers = { d: approve({ by: 'ann' }) };

/** Pauses a run under the old release, and resumes it under the new one. */
async function resumeUnder(changes: (releases: Releases) => object, engine: Engine = memoryEngine()) {
  const releases = makeReleases();
  const paused = await releases.release().run('go', { engine, runId: 'r' });
  expect(paused.termination.kind).toBe('interaction_pending');
  expect(releases.traces.calls).toEqual(['search old', 'search old', 'search old']);
  releases.traces.calls.length = 0;
  releases.traces.prompts.length = 0;
  const agent = releases.release(changes(releases));
  const result: AgentResult = await agent.resume('r', { engine, answers });
  expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
  return { ...releases, engine, agent, result };
}

describe('a run that was paused under the old release', () => {
  it('continues under the new one where nothing changed', async () => {
    const { result, traces } = await resumeUnder(() => ({}));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy old']);
  });

  it('gives the model the new instructions from its next call on', async () => {
    const { result, traces } = await resumeUnder(() => ({ instructions: 'new words' }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.prompts).toHaveLength(1);
    expect(traces.prompts[0]).toContain('new words');
    expect(traces.prompts[0]).not.toContain('old words');
  });

  it('asks the new model from its next call on', async () => {
    const { result, traces } = await resumeUnder(() => ({ model: scriptedModel([{ text: 'from another one' }]) }));
    expect(result.text).toBe('from another one');
    expect(traces.prompts).toEqual([]);
  });

  it('executes the tools of the new release, and none of the past again', async () => {
    const { traces } = await resumeUnder(({ tools }) => ({ tools: tools('new') }));
    expect(traces.calls).toEqual(['deploy new']);
  });

  it('says to the model that arguments do not fit the new schema, although a person has agreed to them', async () => {
    const { result, traces } = await resumeUnder(({ tools }) => {
      const { search, deploy } = tools('new');
      const inputSchema = { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] };
      return { tools: { search, deploy: { ...deploy, inputSchema } } };
    });
    expect(result.termination.kind).toBe('natural_end');
    expect(traces.calls).toEqual([]);
    expect(result.toolCalls.at(-1)?.error).toMatchObject({ code: 'BAD_ARGUMENTS' });
  });

  it('says to the model that the tool which a person has agreed to is gone', async () => {
    const { result, traces } = await resumeUnder(({ tools }) => ({ tools: { search: tools('new').search } }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual([]);
    expect(result.toolCalls.at(-1)).toMatchObject({ tool: 'deploy', error: { code: 'UNKNOWN_TOOL' } });
  });

  it('keeps the results of a tool that is gone', async () => {
    const { result, traces } = await resumeUnder(({ tools }) => ({ tools: { deploy: tools('new').deploy } }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy new']);
    expect(result.toolCalls.map(({ tool, error }) => [tool, error])).toEqual([
      ['search', undefined],
      ['search', undefined],
      ['search', undefined],
      ['deploy', undefined],
    ]);
    expect(traces.prompts[0]).toContain('search of old');
  });

  it('never makes a call that the new release denies, although a person has agreed to it', async () => {
    const { result, traces } = await resumeUnder(() => ({ permissions: { deny: ['deploy'] } }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual([]);
    expect(result.toolCalls.at(-1)).toMatchObject({ tool: 'deploy', error: { code: 'DENIED' } });
  });

  it('needs the answer to what it asked, even if nobody is asked any more', async () => {
    const { result, traces } = await resumeUnder(({ tools, tool }) => ({
      tools: { ...tools('new'), deploy: tool('deploy', 'new') },
    }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy new']);
  });

  it('asks about no call that was made before someone had to be asked', async () => {
    const { result, traces } = await resumeUnder(({ tools }) => {
      const { search, deploy } = tools('new');
      return { tools: { search: requireApproval(search), deploy } };
    });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy new']);
  });

  it.each([
    ['iterations', [maxIterations(2)], { kind: 'max_iterations', limit: 2, used: 3 }],
    ['tool calls', [maxIterations(20), maxToolCalls(2)], { kind: 'max_tool_calls', limit: 2, used: 4 }],
  ])('ends at the first point after the resume where it has used up fewer %s', async (_, stopWhen, ending) => {
    const { result, traces, agent, engine } = await resumeUnder(() => ({ stopWhen }));
    expect(result.termination).toMatchObject(ending);
    // The past stands: all of it is in the result, and the approved call was made.
    expect(result.toolCalls.map(({ tool }) => tool)).toEqual(['search', 'search', 'search', 'deploy']);
    expect(traces.calls).toEqual(['deploy old']);
    const raised = await agent.resume('r', { engine, stopWhen: [maxIterations(30), maxToolCalls(30)] });
    expect(raised.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy old']);
  });

  it('has room up to higher limits', async () => {
    const { result } = await resumeUnder(() => ({ stopWhen: [maxIterations(50)] }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
  });

  it('has its output checked against a schema that is new', async () => {
    const { result } = await resumeUnder(() => ({ output: z.object({ ok: z.boolean() }), repair: false }));
    expect(result.termination.kind).toBe('schema_validation');
  });

  it.each([
    ['a hook that is asked before each iteration', { hooks: { beforeIteration: () => undefined } }],
    ['a hook that is asked about the prompt', { hooks: { onPrompt: () => undefined } }],
    ['a hook that is asked after each iteration', { hooks: { afterIteration: () => undefined } }],
    ['a goal', { goal: goal(() => false) }],
  ])('parks as REPLAY_MISMATCH under %s, and continues with the release that wrote it', async (_, changes) => {
    const { result, release, engine, traces } = await resumeUnder(() => changes);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'REPLAY_MISMATCH' } });
    expect(result.category).toBe('fatal');
    expect(traces.calls).toEqual([]);
    const again = await release().resume('r', { engine });
    expect(again.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy old']);
  });
});

describe('a run that ended at a limit of the old release', () => {
  it('continues without further ado where the new one has a higher limit', async () => {
    const engine = memoryEngine();
    const { release, traces } = makeReleases();
    const ended = await release({ stopWhen: [maxIterations(2)] }).run('go', { engine, runId: 'r' });
    expect(ended.termination).toMatchObject({ kind: 'max_iterations', limit: 2, used: 2 });
    const agent = release({ stopWhen: [maxIterations(20)] });
    const paused = await agent.resume('r', { engine });
    expect(paused.termination.kind).toBe('interaction_pending');
    // The same fold once more, over three segments.
    const done = await agent.resume('r', { engine, answers });
    expect(done.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['search old', 'search old', 'search old', 'deploy old']);
    expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
  });
});

describe('hooks around models and tools', () => {
  it('hold from the next call on', async () => {
    const asked: string[] = [];
    const ask = (name: string) => () => void asked.push(name);
    const { result } = await resumeUnder(() => ({
      hooks: {
        beforeModel: ask('beforeModel'),
        afterModel: ask('afterModel'),
        beforeTool: ask('beforeTool'),
        afterTool: ask('afterTool'),
      },
    }));
    expect(result.termination).toEqual({ kind: 'natural_end' });
    // The arguments were approved before there was a hook: they are not asked about again.
    expect(asked).toEqual(['afterTool', 'beforeModel', 'afterModel']);
  });
});

describe('a hook at the end', () => {
  it.each([
    ['added', {}, { onEnd: () => undefined }],
    ['taken away', { onEnd: () => undefined }, {}],
  ])('may be %s', async (_, before, after) => {
    const engine = memoryEngine();
    const { release, traces } = makeReleases();
    const stopWhen = [maxIterations(2)];
    const ended = await release({ stopWhen, hooks: before }).run('go', { engine, runId: 'r' });
    expect(ended.termination.kind).toBe('max_iterations');
    const agent = release({ hooks: after });
    await agent.resume('r', { engine });
    const done = await agent.resume('r', { engine, answers });
    expect(done.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toHaveLength(4);
  });
});

describe('a call of a tool that was not there', () => {
  it('stays a mistake of the past when the new release has the tool', async () => {
    const engine = memoryEngine();
    const { release, traces, tools } = makeReleases();
    const { search, deploy } = tools('new');
    const first = await release({ tools: { deploy } }).run('go', { engine, runId: 'r' });
    expect(first.toolCalls[0]?.error).toMatchObject({ code: 'UNKNOWN_TOOL' });
    const done = await release({ tools: { search, deploy } }).resume('r', { engine, answers });
    expect(done.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls).toEqual(['deploy new']);
  });
});

describe('an agent inside that is gone', () => {
  it('is a call without a result', async () => {
    const engine = memoryEngine();
    const { release, tools } = makeReleases();
    const inner = defineAgent({
      name: 'inner',
      model: scriptedModel([{ toolCalls: [{ tool: 'deploy', input: {}, id: 'x' }] }, { text: 'inside' }]),
      tools: { deploy: tools('old').deploy },
    });
    const model = scriptedModel(({ options: { prompt } }) =>
      prompt.some(({ role }) => role === 'tool')
        ? { text: 'finished' }
        : { toolCalls: [{ tool: 'inner', input: { prompt: 'go' }, id: 'i' }] },
    );
    const first = await release({ model, tools: { inner: agentAsTool(inner) } }).run('go', { engine, runId: 'r' });
    const [request] = await engine.openRequests('r');
    expect(first.termination.kind).toBe('interaction_pending');
    const done = await release({ model, tools: {} }).resume('r', {
      engine,
      answers: { [request?.id ?? '']: approve({ by: 'ann' }) },
    });
    expect(done.termination).toEqual({ kind: 'natural_end' });
    expect(done.toolCalls[0]).toMatchObject({ tool: 'inner', error: { code: 'UNKNOWN_TOOL' } });
  });
});

describe('a new version', () => {
  it('does not resume runs of the old one, and says whose they are', async () => {
    const engine = memoryEngine();
    const { release } = makeReleases();
    await release().run('go', { engine, runId: 'r' });
    await expect(release({ version: '2' }).resume('r', { engine, answers })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: 'The run r is deployer version 1; it cannot be resumed as deployer version 2.',
    });
    expect((await engine.ending('r'))?.termination.kind).toBe('interaction_pending');
  });

  it('is drained by a worker that knows both', async () => {
    const engine = openEngine();
    const { release, traces, tools } = makeReleases();
    await release().run('go', { engine, runId: 'r' });
    await engine.start({ runId: 'n', name: 'deployer', version: '2', input: 'go' });
    const next = release({ version: '2', tools: tools('new') });
    const alone = engine.worker([next]);
    await expect.poll(async () => (await engine.ending('n'))?.termination.kind).toBe('interaction_pending');
    await engine.answer('r', 'd', answers.d);
    await alone.stop();
    // Nobody but the old version touches it; it waits, and is in the list.
    expect(await engine.list({ state: 'ready' })).toMatchObject({ runs: [{ runId: 'r', version: '1' }] });
    const both = engine.worker([release(), next]);
    await expect.poll(async () => (await engine.ending('r'))?.termination.kind).toBe('natural_end');
    await both.stop();
    expect(traces.calls.filter((call) => call.startsWith('deploy'))).toEqual(['deploy old']);
  });

  it('continues the conversation of an old run as a run of its own', async () => {
    const engine = memoryEngine();
    const { release, traces, tools } = makeReleases();
    const old = await release().run('go', { engine, runId: 'r' });
    await engine.cancel('r', { by: 'operator', reason: 'moved to version 2' });
    // The last message asks for a call that was never made: the model is asked again.
    const messages = old.messages.filter(({ role }) => role !== 'system').slice(0, -1);
    const forked = await release({ version: '2', tools: tools('new') }).run(messages, { engine, runId: 'r-2' });
    expect(forked.termination.kind).toBe('interaction_pending');
    expect(traces.calls).toEqual(['search old', 'search old', 'search old']);
  });

  it('can try its code on a copy of an old run, in another store', async () => {
    const engine = memoryEngine();
    const { release, traces, tools } = makeReleases();
    await release().run('go', { engine, runId: 'r' });
    const lines: string[] = [];
    for await (const line of exportJournal(engine, 'r')) lines.push(line);
    const rehearsal = memoryEngine();
    await importJournal(rehearsal, lines);
    const tried = await release({ tools: tools('new') }).resume('r', { engine: rehearsal, answers });
    expect(tried.termination).toEqual({ kind: 'natural_end' });
    expect(traces.calls.at(-1)).toBe('deploy new');
    expect((await engine.ending('r'))?.termination.kind).toBe('interaction_pending');
  });
});
