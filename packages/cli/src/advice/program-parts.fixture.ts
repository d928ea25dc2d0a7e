import { defineAgent, defineRun } from 'fullstop';
import { defineConvergence, suggestor } from 'fullstop/convergence';
import type { Engine, RunnableDefinition } from 'fullstop/engine';
import { type ScriptAnswer, scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

/** The part of a result that advice is about. */
export interface Ended {
  readonly runId: string;
  readonly termination: { readonly kind: string };
  readonly nextAction: string;
  readonly outcome: string;
  readonly segment: number;
}

/** A definition of the library, whatever its kind. */
export interface Program extends RunnableDefinition {
  run(input: unknown, options: object): Promise<Ended>;
  resume(runId: string, options: object): Promise<Ended>;
  within(context: unknown, input: unknown): Promise<unknown>;
}

/** The reaction to a resume that changes nothing. */
type Unchanged = 'LIMIT_UNCHANGED' | 'RUN_CLOSED' | 'allowed';

/** The words of the advice after an ending, and how it is performed. */
export interface Advice {
  /** A program whose run ends so, and the program after a person has followed the advice in it or outside, where that is meant. */
  make(): { readonly before: Program; readonly after?: Program };
  /** Brings the ending about, where a run alone does not. */
  end?(program: Program, engine: Engine): Promise<void>;
  /** `nextAction`, word for word. */
  readonly says: string;
  /** The ways that the sentence names, each as the options of a resume. */
  readonly ways?: readonly object[];
  readonly unchanged: Unchanged;
  /** Says that what helps is done by a person, outside the run, and what. */
  readonly person?: string;
  /** True where a resume without the answer rightly ends the same way. */
  readonly stays?: true;
  /** True for a kind that only parts of a run end with. */
  readonly isInside?: true;
}

export const runId = 'r';
export const usage = { inputTokens: 10, outputTokens: 10 };
export const text = (words: string): ScriptAnswer => ({ text: words, usage });
export const call = (tool: string, input: Record<string, string | number> = {}): ScriptAnswer => ({
  toolCalls: [{ tool, input, id: 'call_1' }],
  usage,
});
export const calls = (tool: string, count: number): ScriptAnswer[] =>
  Array.from({ length: count }, (_, index) => ({ toolCalls: [{ tool, input: { q: 'x' }, id: `c${index}` }], usage }));
export const done = text('done');
export const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
export const echo = { inputSchema, execute: (input: object) => input };
export const broken = { inputSchema, execute: () => Promise.reject(new Error('broken')) };
export const score = z.object({ score: z.number() });

type Options = Readonly<Record<string, unknown>>;

/** An agent that gets these answers, one after the other. */
export function agent(answers: readonly ScriptAnswer[], options: Options = {}): Program {
  const model = scriptedModel([...answers], { exhausted: 'repeat-last' });
  const base = { name: 'p', model, tools: { echo }, retry: { attempts: 1 } };
  return defineAgent({ ...base, ...options } as never) as unknown as Program;
}

const withoutInput = new WeakSet<Program>();

export function convergence(options: Options): Program {
  const program = defineConvergence({ name: 'p', ...options } as never) as unknown as Program;
  withoutInput.add(program);
  return program;
}

/** Brings a run to the ending of its row. */
export async function endRun(program: Program, { end }: Advice, engine: Engine): Promise<void> {
  if (end !== undefined) await end(program, engine);
  else await program.run(inputOf(program), { engine, runId });
}

export function inputOf(program: Program): unknown {
  return withoutInput.has(program) ? undefined : 'go';
}

/** A plain body, by the number of the segment. */
export function body(run: (segment: number) => unknown): Program {
  const program = defineRun({ name: 'p', run: async ({ segment }) => run(segment) as never }) as unknown as Program;
  bodies.set(program, run);
  return program;
}

const bodies = new WeakMap<Program, (segment: number) => unknown>();

/** Runs a program as a part of another run. */
export async function runInside(program: Program, context: { readonly segment: number }): Promise<unknown> {
  const run = bodies.get(program);
  return run === undefined
    ? program.within(context, inputOf(program))
    : { termination: run(context.segment), output: null };
}

export const seed = suggestor('seed', {
  accepts: ({ facts }) => !facts.has('seed'),
  execute: ({ propose }) => propose('seed', { text: 'go' }, { id: 's' }),
});
/** Adds a new fact in every cycle, until there are five. */
export const counter = suggestor('counter', {
  execute: ({ facts, propose, charge }) => {
    charge({ inputTokens: 30, outputTokens: 20, costUsd: 0.1 });
    if (facts.size < 5) propose('count', { n: facts.size });
  },
});

const nothing = 'Nothing to do: use the output.';
export const success = (make: () => Program, says = nothing): Advice => ({
  make: () => ({ before: make() }),
  says,
  unchanged: 'RUN_CLOSED',
});
/** Something outside has to change, and has by the next attempt. */
export const outside = (make: () => Program, says: string, person: string): Advice => ({
  make: () => ({ before: make() }),
  says,
  person,
  unchanged: 'allowed',
});

/** A model that refuses until it is told to do something differently. */
export function refusingUnlessGuided(): unknown {
  const refusing = scriptedModel([{ text: 'I cannot', error: 'refusal' }], { exhausted: 'repeat-last' });
  const willing = scriptedModel([done], { exhausted: 'repeat-last' });
  return {
    ...refusing,
    doGenerate: (request: Parameters<typeof refusing.doGenerate>[0]) =>
      (JSON.stringify(request.prompt).includes('DIFFERENTLY') ? willing : refusing).doGenerate(request),
  };
}
