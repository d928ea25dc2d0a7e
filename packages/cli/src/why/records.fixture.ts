import {
  type Agent,
  defineAgent,
  defineRun,
  defineTermination,
  end,
  loopDetection,
  maxIterations,
  memoryEngine,
  requireApproval,
  terminations,
} from 'fullstop';
import { type ConvergenceBudgets, converge, defineConvergence, fact, gate, suggestor } from 'fullstop/convergence';
import type { Engine } from 'fullstop/engine';
import { pipeline, using } from 'fullstop/pipeline';
import { type ScriptAnswer, scriptedModel, simulatedClock } from 'fullstop/testing';
import type { RunRecord } from './explain-run.js';

/** Everything that a store holds of a run. */
export async function recordOf(engine: Engine, runId: string): Promise<RunRecord> {
  const summary = await engine.summary(runId);
  if (summary === undefined) throw new Error(`There is no run ${runId}.`);
  return {
    summary,
    journal: await engine.journal(runId),
    ending: await engine.ending(runId),
    requests: await engine.openRequests(runId),
  };
}

const search = {
  description: 'Searches',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  execute: async () => ({ hits: [] }),
};

/** A model that calls search with the same words for ever. */
function searching(times: number): ScriptAnswer[] {
  return Array.from({ length: times }, () => ({
    text: 'looking',
    toolCalls: [{ tool: 'search', input: { q: 'x' } }],
    usage: { inputTokens: 900, outputTokens: 40 },
  }));
}

function searcher(stopWhen: readonly unknown[]): Agent {
  return defineAgent({
    name: 'searcher',
    model: scriptedModel(searching(30)),
    tools: { search },
    stopWhen,
    prices: { scripted: { inputPerMillion: 1, outputPerMillion: 2 } },
  } as never) as unknown as Agent;
}

export async function loopRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  await searcher([maxIterations(20), loopDetection({ repeats: 4 })]).run('find x', { engine, runId: 'r_loop' });
  return recordOf(engine, 'r_loop');
}

export async function limitRecord(limit: number): Promise<RunRecord> {
  const engine = memoryEngine();
  await searcher([maxIterations(limit)]).run('find x', { engine, runId: 'r_limit' });
  return recordOf(engine, 'r_limit');
}

/** A run whose unit `research` ends at a limit, after `good` was well. */
export async function childRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const agent = searcher([maxIterations(3)]);
  const flow = defineRun({
    name: 'flow',
    run: async (context) => {
      await context.step('fetch', () => ({ ok: true }));
      await context.child('good', async (unit) => {
        await unit.step('count', () => 1);
        return terminations.naturalEnd();
      });
      const { termination } = await context.child('research', (unit) => agent.within(unit, 'go') as never);
      return end(terminations.childFailed({ child: { name: 'research', path: 'research' }, termination }), {
        partial: true,
      });
    },
  });
  await flow.run(undefined, { engine, runId: 'r_child' });
  return recordOf(engine, 'r_child');
}

export async function approvalRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const deployer = defineAgent({
    name: 'deployer',
    model: scriptedModel([{ toolCalls: [{ tool: 'search', input: { q: 'x' }, id: 'call_7' }] }, { text: 'done' }]),
    tools: { search: requireApproval(search as never) },
    stopWhen: [maxIterations(30)],
  } as never) as unknown as Agent;
  await deployer.run('ship', { engine, runId: 'r_approval' });
  return recordOf(engine, 'r_approval');
}

const anything = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;

/** An ending that only the program which made it knows. */
export async function foreignRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const overloaded = defineTermination({
    kind: 'app.overloaded',
    schema: anything,
    family: 'limit',
    category: 'capacity',
  } as never);
  const own = defineRun({
    name: 'own',
    terminations: [overloaded] as never,
    run: async (context) => {
      await context.child('unit', async () => (overloaded as unknown as (fields: object) => never)({ load: 7 }));
      return (overloaded as unknown as (fields: object) => never)({ load: 9, queue: ['a'] });
    },
  });
  await own.run(undefined, { engine, runId: 'r_own' });
  return recordOf(engine, 'r_own');
}

export async function brokenRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const broken = defineRun({
    name: 'broken',
    run: async (context) => {
      await context.step('fetch', () => Promise.reject(new Error('no \u001b[31mred network')), {
        retry: { attempts: 2, initialDelayMs: 1 },
      });
      return terminations.naturalEnd();
    },
  });
  await broken.run(undefined, { engine, runId: 'r_broken' });
  return recordOf(engine, 'r_broken');
}

export async function cancelledRecord(): Promise<RunRecord> {
  const engine = memoryEngine();
  const sleeper = defineRun({
    name: 'sleeper',
    run: async (context) => {
      await context.sleep('night', 60_000);
      return terminations.naturalEnd();
    },
  });
  await sleeper.run(undefined, {
    engine,
    runId: 'r_cancelled',
    onEntry: ({ type }) => {
      if (type === 'sleep_started') void engine.cancel('r_cancelled', { by: 'operator', reason: 'wrong ticket' });
    },
  });
  return recordOf(engine, 'r_cancelled');
}

/** A convergence that counts to six, one fact and 100 tokens for each cycle; a person has to let the third one pass if asked for. */
export async function countingRecord({ budgets, gated = false }: CountingOptions = {}): Promise<RunRecord> {
  const engine = memoryEngine();
  const counter = suggestor('counter', {
    dependsOn: ['count'],
    accepts: ({ facts }) => facts.get('count').length < 7,
    execute: ({ facts, charge, propose }) => {
      charge({ inputTokens: 90, outputTokens: 10, costUsd: 0.01 });
      propose('count', { number: facts.get('count').length }, { id: `c${facts.get('count').length}` });
    },
  });
  const third = gate({ key: 'count', when: ({ id }) => gated && id === 'c3' });
  const result = await converge({
    name: 'counting',
    facts: [fact('count', { number: 0 }, { id: 'c0' })],
    suggestors: [counter],
    gates: [third],
    ...(budgets !== undefined && { budgets }),
    engine,
    runId: 'r_count',
  });
  if (gated) await result.resume({ answers: { 'count/c3@3': { decision: 'approve', by: 'maria' } } });
  return recordOf(engine, 'r_count');
}

/** A convergence whose only suggestor proposes what cannot be, again and again; in a stage of a pipeline if asked for. */
export async function stubbornRecord({ inStage }: { readonly inStage: boolean }): Promise<RunRecord> {
  const [engine, runId] = [memoryEngine(), 'r_stubborn'];
  const stubborn = suggestor('stubborn', {
    execute: ({ facts, propose }) => {
      const on = facts.latest<{ on: boolean }>('light')?.payload.on === true;
      propose('light', { on: !on }, { id: `light.${facts.size}` });
    },
  });
  const circling = defineConvergence({ name: 'circling', suggestors: [stubborn] });
  const flow = pipeline('flow').stage(
    'circle',
    using(circling, () => ({})),
  );
  await (inStage ? flow.run(undefined, { engine, runId }) : circling.run({}, { engine, runId }));
  return recordOf(engine, runId);
}

interface CountingOptions {
  readonly budgets?: ConvergenceBudgets;
  readonly gated?: boolean;
}

/** A unit that works for 0.3 s and asks for an hour. */
export async function askedRecord(): Promise<RunRecord> {
  const clock = simulatedClock();
  const engine = memoryEngine({ clock });
  const run = defineRun({
    name: 'asking',
    run: async (context) => {
      await context.child('unit', async (unit) => {
        await unit.step('work', () => clock.sleep(300));
        await unit.wait({ id: 'ok', type: 'input' });
        return terminations.naturalEnd();
      });
      return terminations.naturalEnd();
    },
  });
  await run.run(undefined, { engine, runId: 'r_asked' });
  await clock.advance(3_600_000);
  await run.resume('r_asked', { engine, answers: { ok: { decision: 'value' } } });
  return recordOf(engine, 'r_asked');
}
