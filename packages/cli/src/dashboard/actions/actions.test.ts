import { workflowOfRun } from 'fullstop/workflow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionReceipt } from '../api/action-bodies.js';
import type { ApiErrorBody } from '../api/api-error.js';
import type { BulkResult } from '../api/bulk.js';
import type { ForkPoints } from '../api/fork-points.js';
import type { WorkflowForm, WorkflowList } from '../api/workflows.js';
import { DashboardPlace } from '../dashboard.fixture.js';

const loop = `workflow: {name: loop, entry_point: one, limits: {max_iterations: 4}}
agents:
  - {name: one, type: set, value: x, routes: [{to: two}]}
  - {name: two, type: set, value: y, routes: [{to: one}]}
`;
const gate = `workflow: {name: gate, entry_point: review, input: {order: {type: number, required: true, description: Which}, note: {type: string, default: none}}}
agents:
  - name: review
    type: human_gate
    prompt: "May it refund {{ workflow.input.order }}?"
    options: [{label: "Yes", value: "yes", route: $end}, {label: "No", value: "no", route: refuse, prompt_for: why}]
  - {name: refuse, type: terminate, status: failed, reason: "refused"}
`;
const done = `workflow: {name: done, entry_point: stop}
agents:
  - {name: stop, type: terminate, status: success, reason: fresh}
`;

describe('actions', () => {
  let place: DashboardPlace;
  beforeEach(async () => {
    place = await DashboardPlace.open();
  });
  afterEach(() => place.close());

  const act = async <T = ActionReceipt>(path: string, body: unknown): Promise<T> => {
    const response = await place.post(path, body);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const refused = async (path: string, body: unknown): Promise<readonly [number, string, string]> => {
    const response = await place.post(path, body);
    const { error } = (await response.json()) as ApiErrorBody;
    return [response.status, error.code, error.message];
  };
  /** Executes a run that is ready, as a worker would. */
  const execute = async (runId: string): Promise<void> => {
    const { engine } = place.store;
    const session = await engine.claim(runId, 'tester');
    if (session === undefined) throw new Error(`${runId} is not ready.`);
    await (await workflowOfRun(engine, runId)).execute(session, engine);
  };

  it('delivers an answer with who gave it and asks for a worker; a second answerer is told who was first', async () => {
    await place.run(gate, { runId: 'r_gate', inputs: '{"order": 7}' });
    const body = { requestId: 'review', decision: 'choose', choice: 'no', fields: { why: 'late' }, by: 'ada' };
    expect(await act('/api/runs/r_gate/answer', body)).toEqual({
      runId: 'r_gate',
      status: 'delivered',
      message: 'review was answered by ada; a worker continues it.',
      execution: 'worker',
    });
    expect(place.workers).toBe(1);
    const [status, code, message] = await refused('/api/runs/r_gate/answer', { ...body, by: 'bob' });
    expect([status, code]).toEqual([409, 'NOT_POSSIBLE']);
    expect(message).toContain('was answered already by ada');
    await execute('r_gate');
    expect(await place.store.engine.ending('r_gate')).toMatchObject({
      segment: 2,
      termination: { kind: 'terminated', reason: 'refused' },
    });
    const answered = (await place.store.engine.journal('r_gate')).find(({ type }) => type === 'request_answered');
    expect(answered?.data).toMatchObject({
      answer: { by: 'ada', value: { selected: 'no', additional_input: { why: 'late' } } },
    });
  });

  it('refuses a choice that is not offered', async () => {
    await place.run(gate, { runId: 'r_gate', inputs: '{"order": 7}' });
    const [status, , message] = await refused('/api/runs/r_gate/answer', {
      requestId: 'review',
      decision: 'choose',
      choice: 'maybe',
    });
    expect(status).toBe(409);
    expect(message).toContain('it offers yes, no');
  });

  it('opens a stopped run again with a larger limit, which a worker then executes', async () => {
    await place.run(loop, { runId: 'r_loop' });
    const receipt = await act('/api/runs/r_loop/resume', { maxIterations: 8, by: 'ada' });
    expect(receipt).toMatchObject({ status: 'opened', execution: 'worker' });
    const opened = (await place.store.engine.journal('r_loop')).at(-1);
    expect(opened).toMatchObject({ type: 'segment_opened', data: { because: 'resume', by: 'ada' } });
    await execute('r_loop');
    expect(await place.store.engine.ending('r_loop')).toMatchObject({
      segment: 2,
      termination: { kind: 'max_iterations', limit: 8, used: 8 },
    });
  });

  it('refuses a resume that would stop at once, and one of a final ending', async () => {
    await place.run(loop, { runId: 'r_loop' });
    const unchanged = await refused('/api/runs/r_loop/resume', {});
    expect(unchanged.slice(0, 2)).toEqual([409, 'LIMIT_UNCHANGED']);
    await place.run(done, { runId: 'r_done' });
    const closed = await refused('/api/runs/r_done/resume', {});
    expect(closed.slice(0, 2)).toEqual([409, 'NOT_POSSIBLE']);
    expect(closed[2]).toContain('has a final ending');
    expect(place.workers).toBe(0);
    expect(await place.store.engine.ending('r_loop')).toMatchObject({ segment: 1 });
  });

  it('retries with other inputs as a new run', async () => {
    await place.run(gate, { runId: 'r_gate', inputs: '{"order": 7, "note": "x"}' });
    const form = await place.json<WorkflowForm>('/api/runs/r_gate/form');
    expect(form.inputs.map(({ name, type, default: value }) => [name, type, value])).toEqual([
      ['order', 'number', 7],
      ['note', 'string', 'x'],
    ]);
    const { runId, status } = await act('/api/runs/r_gate/retry', { inputs: { order: 8 }, by: 'ada' });
    expect(status).toBe('started');
    const [first] = await place.store.engine.journal(runId);
    expect(first).toMatchObject({ data: { options: { startedBy: 'ada', retryOf: 'r_gate', folder: place.folder } } });
    await execute(runId);
    const [request] = await place.store.engine.openRequests(runId);
    expect(request?.summary).toBe('May it refund 8?');
  });

  it('forks at an entry with other inputs, and says where that is possible', async () => {
    await place.run(gate, { runId: 'r_gate', inputs: '{"order": 7}' });
    const { points, refused: others } = await place.json<ForkPoints>('/api/runs/r_gate/forks');
    expect(points).toContain(1);
    const receipt = await act('/api/runs/r_gate/fork', { at: 1, inputs: { order: 8 }, by: 'ada' });
    expect(receipt).toMatchObject({ status: 'forked', execution: 'worker' });
    const [first] = await place.store.engine.journal(receipt.runId);
    expect(first).toMatchObject({ data: { forkedFrom: [{ runId: 'r_gate', at: 1, by: 'ada' }] } });
    await execute(receipt.runId);
    const [request] = await place.store.engine.openRequests(receipt.runId);
    expect(request?.summary).toBe('May it refund 8?');
    await place.run(done, { runId: 'r_done' });
    const end = (await place.store.engine.journal('r_done')).length;
    expect((await refused('/api/runs/r_done/fork', { at: end })).slice(0, 2)).toEqual([409, 'FORK_REFUSED']);
    expect(others).toEqual([]);
  });

  it('forks at an open ending and resumes the copy with a larger limit', async () => {
    await place.run(loop, { runId: 'r_loop' });
    const at = (await place.store.engine.journal('r_loop')).length;
    const { runId } = await act('/api/runs/r_loop/fork', { at, resume: { maxIterations: 6 } });
    await execute(runId);
    expect(await place.store.engine.ending(runId)).toMatchObject({ segment: 2, termination: { limit: 6, used: 6 } });
    expect(await place.store.engine.ending('r_loop')).toMatchObject({ segment: 1 });
  });

  it('cancels a run that waits, with who and why', async () => {
    await place.run(gate, { runId: 'r_gate', inputs: '{"order": 7}' });
    const receipt = await act('/api/runs/r_gate/cancel', { reason: 'wrong order', by: 'ada' });
    expect(receipt).toMatchObject({ status: 'requested', message: 'r_gate was asked to stop; a worker ends it.' });
    await execute('r_gate');
    expect(await place.store.engine.ending('r_gate')).toMatchObject({
      termination: { kind: 'cancelled', by: 'operator', reason: 'wrong order (ada)' },
    });
  });

  it('previews a bulk action run by run without changing anything, then does it', async () => {
    for (const runId of ['r_1', 'r_2']) await place.run(loop, { runId });
    await place.run(done, { runId: 'r_done' });
    const body = { action: 'resume', runIds: ['r_1', 'r_2', 'r_done', 'r_nothing'], changes: { maxIterations: 8 } };
    const preview = await act<BulkResult>('/api/bulk/preview', body);
    expect(preview).toMatchObject({ possible: 2, refused: 2 });
    expect(preview.items.map(({ ok, code }) => [ok, code])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, 'NOT_POSSIBLE'],
      [false, 'RUN_NOT_FOUND'],
    ]);
    expect(await place.store.engine.ending('r_1')).toMatchObject({ segment: 1 });
    expect(place.workers).toBe(0);
    const tooLow = await act<BulkResult>('/api/bulk/preview', { ...body, changes: { maxIterations: 3 } });
    expect(tooLow.items[0]).toMatchObject({ ok: false, code: 'LIMIT_UNCHANGED' });
    const applied = await act<BulkResult>('/api/bulk/apply', body);
    expect(applied).toMatchObject({ possible: 2, refused: 2 });
    expect(place.workers).toBe(1);
    for (const runId of ['r_1', 'r_2'])
      expect(await place.store.engine.summary(runId)).toMatchObject({ state: 'ready' });
  });

  it('starts a workflow file of the folder from a form of its inputs', async () => {
    place.write('gate.yaml', gate);
    place.write('other.yaml', 'name: not a workflow\n');
    place.write(
      'broken.yaml',
      'workflow: {name: broken, entry_point: nowhere}\nagents:\n  - {name: one, type: sett}\n',
    );
    const { workflows } = await place.json<WorkflowList>('/api/workflows');
    expect(workflows.map(({ file, name }) => [file, name])).toEqual([
      ['broken.yaml', undefined],
      ['gate.yaml', 'gate'],
    ]);
    expect(workflows[0]?.problem).toBeDefined();
    const form = await place.json<WorkflowForm>('/api/workflows/gate.yaml/form');
    expect(form.inputs).toEqual([
      { name: 'order', type: 'number', required: true, description: 'Which' },
      { name: 'note', type: 'string', required: false, default: 'none' },
    ]);
    const missing = await refused('/api/workflows/gate.yaml/start', { inputs: {} });
    expect(missing.slice(0, 2)).toEqual([409, 'NOT_POSSIBLE']);
    expect(missing[2]).toContain('The workflow needs more inputs');
    const { runId } = await act('/api/workflows/gate.yaml/start', { inputs: { order: 9 } });
    await execute(runId);
    expect(await place.store.engine.summary(runId)).toMatchObject({ kind: 'gate_pending' });
  });

  it('starts no file outside of the folder', async () => {
    for (const name of ['..%2foutside.yaml', '%2e%2e%2f%2e%2e%2fetc%2fpasswd', '%2fetc%2fhosts.yaml', 'nothing.yaml']) {
      const [status, code] = await refused(`/api/workflows/${name}/start`, {});
      expect([name, status, code]).toEqual([name, 404, 'FILE_NOT_FOUND']);
    }
  });

  it('refuses bodies that are too large, not JSON, of another type or with unknown keys', async () => {
    const send = (headers: Record<string, string>, body: string) =>
      place.raw('/api/runs/r_1/cancel', { method: 'POST', headers: { ...place.bearer, ...headers }, body });
    const type = { 'content-type': 'application/json' };
    const code = ({ status, body }: { status: number; body: string }): readonly [number, string] => [
      status,
      (JSON.parse(body) as ApiErrorBody).error.code,
    ];
    expect(code(await send(type, JSON.stringify({ reason: 'x'.repeat(1_100_000) })))).toEqual([413, 'BODY_TOO_LARGE']);
    const chunked = { ...type, 'transfer-encoding': 'chunked' };
    expect(code(await send(chunked, 'x'.repeat(1_100_000)))).toEqual([413, 'BODY_TOO_LARGE']);
    expect(code(await send(type, '{"reason": '))).toEqual([400, 'INVALID_JSON']);
    expect(code(await send({ 'content-type': 'text/plain' }, '{}'))).toEqual([415, 'JSON_NEEDED']);
    expect(code(await send(type, '{"__proto__": {}, "shell": "rm"}'))).toEqual([400, 'INVALID_REQUEST']);
    expect(code(await send(type, '[]'))).toEqual([400, 'INVALID_REQUEST']);
  });

  it('lets a page act only with the Origin of this server', async () => {
    await place.run(loop, { runId: 'r_loop' });
    const entered = await place.raw(`/?token=${place.dashboard.token}`);
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    const headers = { cookie, 'content-type': 'application/json' };
    const send = async (more: Record<string, string>): Promise<number> =>
      (await place.raw('/api/runs/r_loop/resume', { method: 'POST', headers: { ...headers, ...more }, body: '{}' }))
        .status;
    expect(await send({})).toBe(403);
    expect(await send({ origin: 'https://evil.example' })).toBe(403);
    expect(await send({ origin: place.dashboard.origin })).toBe(409);
  });
});

describe('a dashboard that only reads', () => {
  it('refuses every change, and shows everything', async () => {
    const place = await DashboardPlace.open({ readOnly: true });
    await place.run(loop, { runId: 'r_loop' });
    for (const path of [
      'runs/r_loop/answer',
      'runs/r_loop/cancel',
      'runs/r_loop/resume',
      'runs/r_loop/retry',
      'bulk/apply',
      'workflows/x.yaml/start',
    ]) {
      const response = await place.post(`/api/${path}`, {});
      expect([path, response.status]).toEqual([path, 403]);
      expect(await response.json()).toMatchObject({ error: { code: 'READ_ONLY' } });
    }
    expect((await place.get('/api/runs')).status).toBe(200);
    expect(await place.store.engine.ending('r_loop')).toMatchObject({ segment: 1 });
    await place.close();
  });
});
