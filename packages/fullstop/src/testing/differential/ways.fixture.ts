import type { Agent } from '../../agent/agent.js';
import { defineAgent } from '../../agent/define-agent.js';
import { reconciled } from '../../agent/every-ending.fixture.js';
import type { AnyAgentOptions } from '../../agent/options/agent-options.js';
import { halt, submit } from '../../agent/options/directive.js';
import { requireApproval } from '../../agent/tools/tool.js';
import type { Engine, RunnableDefinition } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { type ScriptedModel, scriptedModel } from '../../models/scripted/scripted-model.js';
import { using } from '../../pipeline/perform/using.js';
import { pipeline } from '../../pipeline/pipeline.js';
import { category, family, isOpen, outcome } from '../../termination/classify.js';
import type { Ending } from '../../termination/ending.js';
import { createRegistry } from '../../termination/registry.js';
import { rootCause } from '../../termination/root-cause.js';
import { tagOf } from '../../termination/tag-of.js';
import { workflowFrom, world } from '../../workflow/workflow.fixture.js';
import { checkPresent } from '../check.js';
import type { Behaviour, FileOptions } from './behaviours.fixture.js';

/** The run that a behaviour happens in. */
const runId = 'r';

/** Everything that readers of an ending act on. */
export interface Told {
  readonly termination: unknown;
  readonly also: unknown;
  readonly category: string;
  readonly family: string;
  readonly outcome: string;
  readonly open: boolean;
  readonly tag: string;
}

/** The ending of an agent, and that of the run it was in where it was a part of one. */
export interface Endings {
  readonly agent: Told;
  readonly around?: Told;
}

interface Started {
  readonly definition: RunnableDefinition;
  run(options: object): Promise<unknown>;
}

/** The place of an agent in a run. */
interface Place {
  /** True where the run is of something else, and the agent a part of it named `agent`. */
  readonly isInside: boolean;
  start(behaviour: Behaviour, engine: Engine): Started;
}

const asRun: Place = {
  isInside: false,
  start(behaviour, engine) {
    const agent = agentOf(behaviour, engine);
    return { definition: agent, run: (options) => agent.run('go', options) };
  },
};

const asStream: Place = {
  isInside: false,
  start(behaviour, engine) {
    const agent = agentOf(behaviour, engine);
    return { definition: agent, run: (options) => agent.stream('go', options).result };
  },
};

const asStage: Place = {
  isInside: true,
  start(behaviour, engine) {
    const work = using(agentOf(behaviour, engine), () => 'go');
    const flow = pipeline('flow').stage('agent', work);
    return { definition: flow, run: (options) => flow.run(undefined, options) };
  },
};

/** An agent that a module exports, as a step of a workflow. */
const asModule: Place = {
  isInside: true,
  start(behaviour, engine) {
    const agent = agentOf(behaviour, engine);
    const step = { ...agent, within: (context: never) => agent.within(context, 'go') };
    const text = `
workflow: {name: flow, entry_point: agent}
agents: [{name: agent, type: pipeline, use: "./module.mjs#step"}]
output: {v: "{{ agent.output | json }}"}
`;
    const importModule = async (): Promise<Readonly<Record<string, unknown>>> => ({ step });
    return startedWorkflow(workflowFrom(text, { files: { 'module.mjs': '' }, importModule }));
  },
};

function asStep({ agent, runtime = '' }: FileOptions): Place {
  return {
    isInside: true,
    start(behaviour, engine) {
      const text = `
workflow: {name: flow, entry_point: agent, runtime: {${runtime}}}
tools: [${Object.keys(toolsOf(engine)).join(', ')}]
agents: [{name: agent, prompt: go, ${agent}}]
output: {v: "{{ agent.output | json }}"}
`;
      return startedWorkflow(
        workflowFrom(text, { model: modelOf(behaviour, engine.clock), tools: toolsOf(engine) as never }),
      );
    },
  };
}

function startedWorkflow(workflow: ReturnType<typeof workflowFrom>): Started {
  return { definition: workflow, run: (options) => workflow.run({}, options) };
}

/** A way to get to the ending of a behaviour; more than one where it is a family of ways. */
type Way = (behaviour: Behaviour) => Promise<ReadonlyMap<string, Endings>>;

/** The plain run, with which every other way is compared. */
export async function plainRun(behaviour: Behaviour): Promise<Told> {
  return (await endingsIn(asRun, await journalOf(asRun, behaviour))).agent;
}

/** All ways for any behaviour. */
export const ways: Readonly<Record<string, Way>> = {
  'when it is streamed': through(asStream),
  'when its body is replayed after every step': through(asRun, { alwaysReplay: true }),
  'when another process continues after any entry': continued(asRun),
  'as a stage of a pipeline': through(asStage),
  'as a stage of a pipeline that another process continues after any entry': continued(asStage),
};

/** All ways for a behaviour whose ending a workflow knows: its file cannot name kinds of users. */
export const waysOfModule: Readonly<Record<string, Way>> = {
  'as the agent of a module in a workflow': through(asModule),
  'as the agent of a module in a workflow that another process continues after any entry': continued(asModule),
};

/** All ways for a behaviour that a workflow file can say. */
export function waysOfFile(file: FileOptions): Readonly<Record<string, Way>> {
  const step = asStep(file);
  return {
    'as a step of a workflow': through(step),
    'as a step of a workflow that is replayed after every step': through(step, { alwaysReplay: true }),
    'as a step of a workflow that another process continues after any entry': continued(step),
  };
}

function through(place: Place, options: object = {}): Way {
  return async (behaviour) => new Map([['', endingsIn(place, await journalOf(place, behaviour, options))]]);
}

function continued(place: Place): Way {
  return async (behaviour) => {
    const journal = await journalOf(place, behaviour);
    const all = new Map<string, Endings>();
    for (let length = 1; length < journal.length; length += 1) {
      const rest = await journalAfter(place, behaviour, journal.slice(0, length));
      all.set(`after entry ${length} of ${journal.length}`, endingsIn(place, rest));
    }
    return all;
  };
}

type Journal = readonly JournalEntry[];

async function journalOf(place: Place, behaviour: Behaviour, options: object = {}): Promise<Journal> {
  const { engine } = world();
  const onPause = behaviour.outwaits === true ? 'wait' : 'end';
  await place.start(behaviour, engine).run({ engine, runId, onPause, ...options });
  return engine.journal(runId);
}

/** The journal of a run that another process has continued. */
async function journalAfter(place: Place, behaviour: Behaviour, known: Journal): Promise<Journal> {
  const { engine, clock } = world();
  await engine.importRun([...known]);
  const { definition } = place.start(behaviour, engine);
  const execute = async (): Promise<void> => {
    const session = checkPresent(await engine.claim(runId, 'another'), 'the run to continue');
    await definition.execute(session, engine);
  };
  await execute();
  if (behaviour.outwaits !== true || (await engine.ending(runId))?.category !== 'paused') return engine.journal(runId);
  await clock.advance(hourMs);
  await execute();
  return engine.journal(runId);
}

const hourMs = 3_600_000;

const registry = createRegistry([reconciled]);

function endingsIn({ isInside }: Place, journal: Journal): Endings {
  const last = checkPresent(journal.findLast(isSegmentEnd), 'the ending of the run');
  const { termination, also, ...rest } = last.data.envelope;
  const { category: reaction, family: origin, outcome: verdict, open, tag } = rest;
  const run = { termination: comparable(termination), also: comparable(also) };
  const around: Told = { ...run, category: reaction, family: origin, outcome: verdict, open, tag };
  const isStopped = reaction === 'paused' || reaction === 'cancelled';
  if (!isInside) return { agent: around };
  // A unit that waits has no ending yet, and one that is cancelled is so by its parent: what the run says counts.
  return { agent: isStopped ? around : endingOfUnit(journal), around };
}

function isSegmentEnd(entry: JournalEntry): entry is JournalEntry<'segment_ended'> {
  return entry.type === 'segment_ended';
}

function endingOfUnit(journal: Journal): Told {
  const isUnit = (entry: JournalEntry): entry is JournalEntry<'unit_ended'> =>
    entry.type === 'unit_ended' && entry.scope === '' && entry.key === 'agent';
  const { data } = checkPresent(journal.findLast(isUnit), 'the ending of the agent');
  const termination = rootCause(data.termination as Ending) as Ending;
  return {
    termination: comparable(termination),
    also: comparable(data.also ?? []),
    category: category(termination, registry),
    family: family(termination, registry),
    outcome: outcome(termination, registry),
    open: isOpen(termination, registry),
    tag: tagOf(termination, { registry }),
  };
}

const isPlace: ReadonlySet<string> = new Set(['gateId', 'id', 'path']);

/** Requests are named by the place where they are asked, and stacks by where they are thrown. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, each: unknown) => {
    if (key === 'stack') return undefined;
    return isPlace.has(key) && typeof each === 'string' ? each.replace(/^agent(\/|$)/, '') : each;
  });
  return JSON.parse(text) as unknown;
}

function agentOf(behaviour: Behaviour, engine: Engine): Agent {
  const { options = {} } = behaviour;
  const tools = { ...toolsOf(engine), ...options.tools };
  const model = modelOf(behaviour, engine.clock);
  return defineAgent({ retry: { attempts: 1 }, ...options, name: 'agent', tools, model } as never) as unknown as Agent;
}

/** The tools that every behaviour has. */
function toolsOf(engine: Engine): NonNullable<AnyAgentOptions['tools']> {
  const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
  return {
    echo: { inputSchema, execute: (input: object) => input },
    strict: { inputSchema: { ...inputSchema, required: ['q'] }, execute: (input: object) => input },
    broken: { inputSchema, execute: () => Promise.reject(new Error('broken')) },
    stop: { inputSchema, execute: () => halt('enough') },
    hand_in: { inputSchema, execute: () => submit({ score: 7 }) },
    pay: requireApproval({ inputSchema, execute: () => 'paid' }),
    late: requireApproval({ inputSchema, execute: () => 'paid' }, { deadline: '1h' }),
    cancel: { inputSchema, execute: () => engine.cancel(runId, { by: 'operator', reason: 'enough' }) },
  };
}

/** The answers depend on the conversation alone, so that another process receives the same ones. */
function modelOf({ answers }: Behaviour, clock: Engine['clock']): ScriptedModel {
  const attempts = new Map<number, number>();
  return scriptedModel(
    ({ options }) => {
      const round = options.prompt.filter(({ role }) => role === 'assistant').length;
      const attempt = attempts.get(round) ?? 0;
      attempts.set(round, attempt + 1);
      const said = answers[Math.min(round, answers.length - 1)] as ScriptAnswer | readonly ScriptAnswer[];
      return Array.isArray(said) ? (said[Math.min(attempt, said.length - 1)] as ScriptAnswer) : (said as ScriptAnswer);
    },
    { clock },
  );
}
