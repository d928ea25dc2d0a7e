import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent/define-agent.js';
import { isModelKey } from '../agent/machine/agent-key.js';
import { defineConvergence } from '../convergence/define-convergence.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine, RunnableDefinition } from '../engines/port/engine.js';
import type { Envelope } from '../engines/port/envelope.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { temporaryFile } from '../engines/sqlite/engine.fixture.js';
import { sqliteEngine } from '../engines/sqlite/sqlite-engine.js';
import { pipeline } from '../pipeline/pipeline.js';
import { resumedKey } from '../run/accounts/active-timeline.js';
import { defineRun } from '../run/define-run.js';
import { fork } from '../run/fork/fork.js';
import { forkPoints } from '../run/fork/fork-points.js';
import { verifyJournal } from '../run/journal/verify-journal.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { workflowFrom } from '../workflow/workflow.fixture.js';
import { scriptedModel } from './scripted-model.js';
import { simulatedClock } from './simulated-clock.js';

interface Body extends RunnableDefinition {
  run(input: never, options: { readonly engine: Engine; readonly runId: string }): Promise<Envelope>;
  resume(runId: string, options: object): Promise<Envelope>;
}

interface Subject {
  readonly name: string;
  /** How many effects of the program entries tell of; absent where it does not say what it performs. */
  readonly effects?: (entries: readonly JournalEntry[]) => number;
  readonly input: unknown;
  /** How the first ending is resumed. */
  readonly resume: object;
  /** A program that has performed what these entries say, and says what it performs from now on. */
  open(copied: readonly JournalEntry[], performed: string[]): Body;
}

const done = { kind: 'natural_end' } as const;

const modelCalls = (entries: readonly JournalEntry[]): number =>
  entries.filter(({ type, key }) => type === 'step_ended' && isModelKey(key ?? '')).length;

/** The steps that are not calls of a model. */
const stepsIn = (entries: readonly JournalEntry[]): number =>
  entries.filter(({ type, key }) => type === 'step_ended' && !isModelKey(key ?? '')).length;

const subjects: readonly Subject[] = [
  {
    name: 'a body of one’s own',
    effects: stepsIn,
    input: { n: 3 },
    resume: { limits: { steps: 100 } },
    open: (_, performed) =>
      defineRun({
        name: 'own',
        limits: { steps: 6 },
        run: async (context, { n }: { readonly n: number }) => {
          const ids: string[] = [];
          for (let index = 0; index < n; index += 1) {
            const id = context.uuid();
            ids.push(
              await context.step(`work-${index}`, () => {
                performed.push(`work-${index}`);
                return id;
              }),
            );
            if (ids[index] !== id) throw new Error(`the id of step ${index} is another one now`);
            await context.record(`judge-${index}`, () => index % 2 === 0);
          }
          await context.sleep('nap', 1000);
          const inner = await context.child('inner', async (child) => {
            const value = await child.step('deep', () => {
              performed.push('deep');
              return child.scope;
            });
            return { termination: done, output: value };
          });
          await Promise.all(
            ['a', 'b'].map((key) =>
              context.step(
                key,
                () => {
                  performed.push(key);
                  return key;
                },
                { once: key === 'b' },
              ),
            ),
          );
          await context.step('last', () => {
            performed.push('last');
            return 'done';
          });
          return { termination: done, output: { count: ids.length, inner: inner.output ?? null } };
        },
      }) as unknown as Body,
  },
  {
    name: 'an agent',
    effects: stepsIn,
    input: 'Find suppliers',
    resume: { stopWhen: [maxIterations(10)] },
    open: (copied, performed) =>
      defineAgent({
        name: 'finder',
        model: scriptedModel(
          [
            { toolCalls: [{ tool: 'search', input: { query: 'steel' } }] },
            {
              toolCalls: [
                { tool: 'search', input: { query: 'iron' } },
                { tool: 'search', input: { query: 'tin' } },
              ],
            },
            { toolCalls: [{ tool: 'search', input: { query: 'zinc' } }] },
            { text: 'Alder, Birch and Cedar' },
          ],
          { used: { '*': modelCalls(copied) } },
        ),
        tools: {
          search: {
            description: 'Searches',
            inputSchema: z.object({ query: z.string() }),
            execute: async ({ query }: { query: string }) => {
              performed.push(query);
              return { hits: [query] };
            },
          },
        },
        stopWhen: [maxIterations(2)],
      }) as unknown as Body,
  },
  {
    name: 'a pipeline',
    // A stage that is a function is done when its unit has ended.
    effects: (entries) => entries.filter(({ type, key }) => type === 'unit_ended' && key !== 'writing').length,
    input: undefined,
    resume: {},
    open: (copied, performed) =>
      pipeline('article')
        .stage('research', () => {
          performed.push('research');
          return ['what we know'];
        })
        .phase('writing', (phase) =>
          phase
            .stage('draft', ({ research }) => {
              performed.push('draft');
              return `On ${String(research.output)}`;
            })
            .stage('picture', () => {
              performed.push('picture');
              return 'a picture';
            }),
        )
        .stage('review', () => {
          // It fails until someone has resumed it.
          performed.push('review');
          if (!copied.some(({ type }) => type === 'segment_ended')) throw new Error('nobody is there');
          return 'good';
        }) as unknown as Body,
  },
  {
    name: 'a convergence',
    effects: stepsIn,
    input: {},
    resume: { budgets: { cycles: 10 } },
    open: (_, performed) =>
      defineConvergence({
        name: 'count',
        suggestors: [
          suggestor('counter', {
            accepts: ({ facts }) => facts.get('count').length < 4,
            execute: ({ facts, propose }) => {
              const n = facts.get('count').length;
              performed.push(`count-${n}`);
              propose('count', { n });
            },
          }),
        ],
        budgets: { cycles: 2 },
      }) as unknown as Body,
  },
  {
    name: 'a workflow',
    input: {},
    resume: { maxIterations: 50 },
    open: () =>
      workflowFrom(`
workflow: {name: flow, entry_point: note, limits: {max_iterations: 5}}
agents:
  - {name: note, type: set, value: begun, routes: [{to: both}]}
  - {name: left, type: set, value: "{{ note.output }} left"}
  - {name: right, type: set, value: "{{ note.output }} right"}
  - {name: count, type: set, value: "x{{ count.output if count is defined else '' }}", routes: [{to: $end, when: "{{ count.output | length >= 4 }}"}, {to: count}]}
parallel:
  - {name: both, agents: [left, right], routes: [{to: count}]}
output: {count: "{{ count.output }}", left: "{{ both.outputs.left }}"}
`) as unknown as Body,
  },
];

/** The parts of an ending that do not depend on which run it is of. */
function told({ termination, also, outcome, output, usage, costUsd, segment }: Envelope): unknown {
  const facts = { termination, also, outcome, output: output ?? null, usage, costUsd, segment };
  return JSON.parse(JSON.stringify(facts, (key, member: unknown) => (key === 'stack' ? undefined : member)));
}

/** The deeds of a run, without whose they are, when, the ids that were drawn, and the notes of owners who continued it. */
function deeds(entries: readonly JournalEntry[]): readonly unknown[] {
  return entries
    .filter(({ key }) => key !== resumedKey)
    .map(({ type, scope, ordinal, key, segment }) => [segment, type, scope, ordinal, key]);
}

async function both(subject: Subject, engine: Engine): Promise<{ first: Envelope; second: Envelope }> {
  const first = await subject.open([], []).run(subject.input as never, { engine, runId: 'origin' });
  const body = subject.open(await engine.journal('origin'), []);
  const second = await body.resume('origin', { engine, ...subject.resume });
  return { first, second };
}

/** Executes a run that is ready, as a worker does. */
async function execute(body: Body, engine: Engine, runId: string): Promise<Envelope> {
  for (;;) {
    const session = await engine.claim(runId, 'tester');
    if (session === undefined) throw new Error(`${runId} is not ready`);
    await body.execute(session, engine);
    const ending = await engine.ending(runId);
    if (ending !== undefined) return ending;
    await engine.waitUntilReady(runId);
  }
}

describe.each(subjects)('a fork of $name', (subject) => {
  const open = (): Engine => memoryEngine({ clock: simulatedClock() });

  it('at its open ending, resumed, does what the original does when it is resumed', async () => {
    const engine = open();
    const first = await subject.open([], []).run(subject.input as never, { engine, runId: 'origin' });
    expect(first.open).toBe(true);
    const at = (await engine.journal('origin')).length;
    const copy = await fork(engine, 'origin', { at, runId: 'copy' });
    expect(copy).toEqual({ runId: 'copy', entries: at, state: 'ended' });
    const original = await subject
      .open(await engine.journal('origin'), [])
      .resume('origin', { engine, ...subject.resume });
    const forked = await subject.open(await engine.journal('copy'), []).resume('copy', { engine, ...subject.resume });
    expect(forked.category).toBe('success');
    expect(told(forked)).toEqual(told(original));
    expect(deeds(await engine.journal('copy'))).toEqual(deeds(await engine.journal('origin')));
  });

  it('at every entry where it is possible, continues to the same ending and repeats nothing', async () => {
    const engine = open();
    const { first, second } = await both(subject, engine);
    const journal = await engine.journal('origin');
    const possible = forkPoints(journal).filter((point) => point.possible);
    expect(possible.length).toBeGreaterThan(5);
    for (const { seq } of possible) {
      const runId = `fork-${seq}`;
      const copied = journal.slice(0, seq);
      const { state } = await fork(engine, 'origin', { at: seq, runId });
      const performed: string[] = [];
      const body = subject.open(copied, performed);
      const ended = await (state === 'ended'
        ? body.resume(runId, { engine, ...subject.resume })
        : execute(body, engine, runId));
      const expected = journal[seq - 1]?.segment === 1 && state === 'ready' ? first : second;
      expect([seq, told(ended)]).toEqual([seq, told(expected)]);
      const continued = await engine.journal(runId);
      const last = expected === first ? journal.findIndex(({ type }) => type === 'segment_ended') + 1 : journal.length;
      expect([seq, deeds(continued)]).toEqual([seq, deeds(journal.slice(0, last))]);
      // Every effect that was performed is in the new part, and only there.
      const effects = subject.effects?.(continued.slice(seq)) ?? 0;
      expect([seq, performed.length]).toEqual([seq, effects]);
    }
    // The original is left alone.
    expect(await engine.journal('origin')).toEqual(journal);
  });

  it('has hashes of its own that verify, and names its origin with the hash that it had there', async () => {
    const engine = sqliteEngine(temporaryFile(), { clock: simulatedClock() });
    await both(subject, engine);
    const journal = await engine.journal('origin');
    const point = forkPoints(journal).findLast(({ seq, possible }) => possible && seq < journal.length / 2);
    const at = point?.seq ?? 1;
    await fork(engine, 'origin', { at, runId: 'copy', by: 'ada' });
    expect(await engine.verify('copy')).toEqual({ status: 'consistent', entries: at });
    const copy = await engine.journal('copy');
    expect(await verifyJournal(copy)).toMatchObject({ verdict: 'consistent', entries: at });
    expect(copy[0]?.data).toMatchObject({
      forkedFrom: [{ runId: 'origin', at, hash: journal[at - 1]?.hash, by: 'ada' }],
    });
    await engine.close();
  });
});
