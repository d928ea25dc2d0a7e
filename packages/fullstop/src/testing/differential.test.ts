import { describe, expect, it } from 'vitest';
import type { Agent } from '../agent/agent.js';
import { defineAgent } from '../agent/define-agent.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { category } from '../termination/classify.js';
import type { Ending } from '../termination/ending.js';
import { rootCause } from '../termination/root-cause.js';
import { workflowFrom } from '../workflow/workflow.fixture.js';
import { type Behaviour, behaviours, modelOf, runId, toolsOf } from './differential.fixture.js';
import { simulatedClock } from './simulated-clock.js';

function newEngine(): Engine {
  return memoryEngine({ clock: simulatedClock() });
}

function agentOn(engine: Engine, behaviour: Behaviour): Agent {
  const { options = {} } = behaviour;
  const tools = { ...toolsOf(engine), ...options.tools };
  const model = modelOf(behaviour, engine.clock);
  return defineAgent({ retry: { attempts: 1 }, ...options, name: 'agent', tools, model }) as unknown as Agent;
}

const local = ['path', 'id', 'elapsedMs', 'stack'];

/** An ending without what depends on where it happened: paths, the ids of requests, and how long it took. */
function comparable(ending: Ending | undefined): unknown {
  const plain = JSON.stringify(ending ?? null, (key, value: unknown) => (local.includes(key) ? undefined : value));
  return JSON.parse(plain);
}

/** The ending of the agent inside the ending of what it ran in. */
function inner(ending: Ending): Ending {
  return rootCause(ending as never) as Ending;
}

async function endingOfRun(behaviour: Behaviour): Promise<Ending> {
  const engine = newEngine();
  return (await agentOn(engine, behaviour).run('go', { engine, runId })).termination;
}

describe.each(Object.entries(behaviours))('%s ends as in a plain run', (_, behaviour) => {
  it('when it is streamed', async () => {
    const engine = newEngine();
    const { termination } = await agentOn(engine, behaviour).stream('go', { engine, runId }).result;
    expect(comparable(termination)).toEqual(comparable(await endingOfRun(behaviour)));
  });

  it('when its body is replayed after every step', async () => {
    const engine = newEngine();
    const { termination } = await agentOn(engine, behaviour).run('go', { engine, runId, alwaysReplay: true });
    expect(comparable(termination)).toEqual(comparable(await endingOfRun(behaviour)));
  });

  it('when another process continues after any entry', async () => {
    const source = newEngine();
    const { termination } = await agentOn(source, behaviour).run('go', { engine: source, runId });
    const journal = await source.journal(runId);
    for (let length = 1; length < journal.length; length += 1) {
      const engine = newEngine();
      await engine.importRun(journal.slice(0, length));
      const session = await engine.claim(runId, 'another');
      if (session === undefined) throw new Error(`nobody can continue after entry ${length}`);
      await agentOn(engine, behaviour).execute(session, engine);
      expect(comparable((await engine.ending(runId))?.termination), `after entry ${length}`).toEqual(
        comparable(termination),
      );
    }
  });

  it('as a stage of a pipeline', async () => {
    const engine = newEngine();
    const flow = pipeline('flow').stage(
      'agent',
      using(agentOn(engine, behaviour), () => 'go'),
    );
    const result = await flow.run(undefined as never, { engine, runId });
    const expected = await endingOfRun(behaviour);
    if (category(expected as never) === 'success') expect(result.outcome).toBe('succeeded');
    else expect(comparable(inner(result.termination))).toEqual(comparable(expected));
  });
});

const writable = Object.entries(behaviours).filter(([, { yaml }]) => yaml !== undefined);

describe.each(writable)('%s, which a workflow file can say, ends as in a plain run', (_, behaviour) => {
  it('as a step of a workflow', async () => {
    const engine = newEngine();
    const text = `
workflow: {name: flow, entry_point: agent}
tools: [${Object.keys(toolsOf(engine)).join(', ')}]
agents: [{name: agent, prompt: go, ${behaviour.yaml || 'retry: {max_attempts: 1}'}}]
output: {v: "{{ agent.output | json }}"}
`;
    const workflow = workflowFrom(text, { model: modelOf(behaviour, engine.clock), tools: toolsOf(engine) });
    const result = await workflow.run({}, { engine, runId });
    const expected = await endingOfRun(behaviour);
    if (category(expected as never) === 'success') expect(result.outcome).toBe('succeeded');
    else expect(inner(result.termination).kind).toBe(expected.kind);
  });
});
