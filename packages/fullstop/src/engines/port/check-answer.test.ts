import { describe, expect, it, vi } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { memoryEngine } from '../memory/memory-engine.js';
import { openEngine } from '../sqlite/engine.fixture.js';
import type { Engine } from './engine.js';
import type { RequestAnswer, RunRequest } from './request.js';

const approve = { decision: 'approve', by: 'maria' } as const;
const malformed: readonly (readonly [string, unknown, string])[] = [
  ['nothing', undefined, 'it is nothing'],
  ['null', null, 'it is null'],
  ['true', true, 'it is true'],
  ['a word', 'approve', 'it is "approve"'],
  ['an object without a decision', { happened: false }, 'it has no decision'],
  ['an unknown decision', { decision: 'denied' }, 'its decision is "denied"'],
  ['a decision that is no word', { decision: false }, 'its decision is false'],
  ['a reason that is no text', { decision: 'deny', reason: 5 }, 'its reason is 5'],
  ['a name that is no text', { decision: 'deny', by: { id: 1 } }, 'its by is an object'],
  ['a field that answers do not have', { decision: 'approve', input: 1 }, 'it has a field "input"'],
];

const engines: readonly (readonly [string, () => Engine])[] = [
  ['memory', () => memoryEngine()],
  ['sqlite', () => openEngine()],
];

const asking = (request: Partial<RunRequest> = {}) =>
  defineRun({
    name: 'asking',
    run: async (context) => {
      const { decision, value } = await context.wait({ id: 'q', type: 'approval', ...request });
      return terminations.custom({ reason: `${decision} ${String(value)}`, category: 'success' });
    },
  });

describe.each(engines)('an answer on %s', (_name, make) => {
  it.each(malformed)(
    'that is %s is refused by answer and resume, and consumes nothing',
    async (_what, answer, words) => {
      const engine = make();
      const run = asking();
      await run.run(undefined, { engine, runId: 'r' });
      const given = answer as RequestAnswer;
      const refusal = { code: 'INVALID_ANSWER', message: expect.stringContaining(words) };
      await expect(engine.answer('r', 'q', given)).rejects.toMatchObject(refusal);
      await expect(run.resume('r', { engine, answers: { q: given } })).rejects.toMatchObject(refusal);
      const reopen = { runId: 'r', after: 1, because: 'answer', answers: { q: given } } as const;
      await expect(engine.reopen(reopen)).rejects.toMatchObject(refusal);
      const { termination } = await run.resume('r', { engine, answers: { q: approve } });
      expect(termination).toMatchObject({ reason: 'approve undefined' });
    },
  );

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each([
    [{ a: [1n] }, 'its value at a[0]: expected a JSON value'],
    [{ n: Number.NaN }, 'its value at n: expected a JSON value'],
    [{ f: () => 1 }, 'its value at f: expected a JSON value'],
    [{ m: new Map() }, 'its value at m: expected a JSON value, found an instance of Map'],
    [cycle, 'its value: nested too deep, or a cycle'],
  ])('whose value is no JSON is refused with the place of it (%#)', async (value, words) => {
    const engine = make();
    const run = asking({ type: 'input' });
    await run.run(undefined, { engine, runId: 'r' });
    const given = { decision: 'value', value } as never;
    const refusal = { code: 'NOT_JSON', message: expect.stringContaining(words) };
    await expect(engine.answer('r', 'q', given)).rejects.toMatchObject(refusal);
    await expect(run.resume('r', { engine, answers: { q: given } })).rejects.toMatchObject(refusal);
    const { termination } = await run.resume('r', { engine, answers: { q: { decision: 'value', value: 1 } } });
    expect(termination).toMatchObject({ reason: 'value 1' });
  });

  it('is refused when it does not choose what is offered', async () => {
    const engine = make();
    const run = asking({ type: 'gate', options: [{ value: 'ship', label: 'Ship it' }, { value: 'hold' }] });
    await run.run(undefined, { engine, runId: 'r' });
    const refusal = { code: 'INVALID_ANSWER', message: expect.stringContaining('must be one of "ship", "hold"') };
    await expect(engine.answer('r', 'q', { decision: 'value', value: 'maybe' })).rejects.toMatchObject(refusal);
    await expect(run.resume('r', { engine, answers: { q: approve } })).rejects.toMatchObject(refusal);
    const { termination } = await run.resume('r', { engine, answers: { q: { decision: 'value', value: 'Ship it' } } });
    expect(termination).toMatchObject({ reason: 'value Ship it' });
  });

  it.each([
    [{ type: 'string' }, 5, 'its value is 5, not of type string'],
    [{ type: ['number', 'null'] }, 'x', 'not of type number or null'],
    [{ type: 'string' }, undefined, 'its value is nothing'],
    [{ enum: ['a', 'b'] }, 'c', 'not one of "a", "b"'],
    [{ type: 'object', required: ['name'] }, {}, 'its value.name is missing'],
    [{ type: 'object', properties: { age: { type: 'integer' } } }, { age: 1.5 }, 'its value.age is 1.5'],
    [{ type: 'array', items: { type: 'boolean' } }, [true, 0], 'its value[1] is 0'],
  ])('is refused when it does not fit %j', async (schema, value, words) => {
    const engine = make();
    const run = asking({ type: 'input', schema });
    await run.run(undefined, { engine, runId: 'r' });
    const answer = { decision: 'value', ...(value !== undefined && { value }) } as RequestAnswer;
    const refusal = { code: 'INVALID_ANSWER', message: expect.stringContaining(words) };
    await expect(engine.answer('r', 'q', answer)).rejects.toMatchObject(refusal);
    await expect(run.resume('r', { engine, answers: { q: answer } })).rejects.toMatchObject(refusal);
    expect((await engine.answer('r', 'q', { decision: 'deny' })).status).toBe('delivered');
  });

  it('may be something else where the request says so', async () => {
    const engine = make();
    const run = asking({ type: 'input', options: [{ value: 'skip' }], otherAnswers: true });
    await run.run(undefined, { engine, runId: 'r' });
    const { termination } = await run.resume('r', { engine, answers: { q: { decision: 'value', value: 'Berlin' } } });
    expect(termination).toMatchObject({ reason: 'value Berlin' });
  });

  it('is refused of someone who may not give it', async () => {
    const engine = make();
    const run = asking({ answerers: ['maria', 'jo'] });
    await run.run(undefined, { engine, runId: 'r' });
    const refusal = { code: 'INVALID_ANSWER', message: expect.stringContaining('Only maria, jo may answer') };
    await expect(engine.answer('r', 'q', { decision: 'approve', by: 'eve' })).rejects.toMatchObject(refusal);
    await expect(run.resume('r', { engine, answers: { q: { decision: 'approve' } } })).rejects.toMatchObject(refusal);
    const { termination } = await run.resume('r', { engine, answers: { q: approve } });
    expect(termination).toMatchObject({ reason: 'approve undefined' });
  });

  it('is refused as a value where only a yes or a no says what is to be done', async () => {
    const engine = make();
    for (const request of [{ type: 'approval', tool: 'deploy' }, { type: 'confirm_outcome' }] as const) {
      const run = asking(request);
      await run.run(undefined, { engine, runId: request.type });
      const answer = { decision: 'value', value: { happened: false } } as const;
      await expect(engine.answer(request.type, 'q', answer)).rejects.toMatchObject({
        code: 'INVALID_ANSWER',
        message: expect.stringContaining('neither a yes nor a no'),
      });
      expect(await engine.openRequests(request.type)).toHaveLength(1);
    }
  });
});

describe('an escalated request', () => {
  it('may be answered by whom it was escalated to', async () => {
    const engine = memoryEngine({ clock: simulatedClock(0) });
    const escalation = { to: 'boss' };
    const run = asking({ answerers: ['maria'], deadline: 100, onExpiry: 'escalate', escalation });
    const opened = vi.fn();
    const running = run.run(undefined, {
      engine,
      runId: 'r',
      onPause: 'wait',
      onEntry: ({ type }) => type === 'request_opened' && opened(),
    });
    await expect.poll(() => opened.mock.calls.length).toBe(2);
    await expect(engine.answer('r', 'q', { decision: 'approve', by: 'eve' })).rejects.toThrow('maria, boss');
    await engine.answer('r', 'q', { decision: 'approve', by: 'boss' });
    expect((await running).termination).toMatchObject({ reason: 'approve undefined' });
  });
});
