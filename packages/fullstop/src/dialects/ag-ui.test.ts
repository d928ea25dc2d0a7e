import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as sentence } from '../termination/classify.js';
import { defineTermination } from '../termination/define-termination.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import { agUi } from './ag-ui.js';
import { describeDialect } from './dialect-suite.fixture.js';

const approval = {
  id: 'i-1',
  reason: 'confirmation',
  message: 'Approve send_email?',
  responseSchema: { type: 'boolean' },
  expiresAt: '2026-03-01T12:00:00.000Z',
  metadata: { fullstop: { path: 'root', tool: 'send_email', input: { to: 'a@b.c' }, options: [{ value: 'yes' }] } },
};

const interrupt = (...interrupts: readonly object[]) =>
  ({ type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts } }) as never;

describeDialect(agUi, [
  { value: { type: 'RUN_FINISHED', outcome: { type: 'success' } }, termination: { kind: 'natural_end' }, unknown: [] },
  {
    value: interrupt(approval),
    termination: {
      kind: 'interaction_pending',
      requests: [
        {
          id: 'i-1',
          path: 'root',
          type: 'approval',
          tool: 'send_email',
          input: { to: 'a@b.c' },
          schema: { type: 'boolean' },
          options: [{ value: 'yes' }],
          deadline: '2026-03-01T12:00:00.000Z',
        },
      ],
    },
    unknown: [],
  },
  {
    value: interrupt({ id: 'i-2', reason: 'input_required' }, { id: 'i-3', reason: 'tool_call', toolCallId: 'c' }),
    termination: {
      kind: 'interaction_pending',
      requests: [
        { id: 'i-2', type: 'input' },
        { id: 'i-3', type: 'approval' },
      ],
    },
    unknown: ['requests[0].path', 'requests[1].path'],
    canonical: interrupt(
      { id: 'i-2', reason: 'input_required', message: 'Input is needed for i-2.' },
      { id: 'i-3', reason: 'confirmation', message: 'Approve i-3?' },
    ),
  },
  {
    value: interrupt({ id: 'i-4', reason: 'langgraph:database', message: 'Drop the table?' }),
    termination: { kind: 'interaction_pending', requests: [{ id: 'i-4' }] },
    unknown: ['requests[0].path', 'requests[0].type'],
    canonical: interrupt({ id: 'i-4', reason: 'fullstop:request', message: 'An answer is needed: i-4.' }),
  },
  {
    value: { type: 'RUN_FINISHED' },
    termination: { kind: 'indeterminate', candidates: ['natural_end', 'interaction_pending'] },
    unknown: [],
  },
  {
    value: { type: 'RUN_FINISHED', threadId: 't', runId: 'r', result: { score: 7 }, outcome: null },
    termination: { kind: 'indeterminate', candidates: ['natural_end', 'interaction_pending'] },
    unknown: [],
    canonical: { type: 'RUN_FINISHED' },
  },
  {
    value: { type: 'RUN_ERROR', message: 'the user left', code: 'abort' },
    termination: { kind: 'cancelled', by: 'caller', reason: 'the user left' },
    unknown: [],
  },
  {
    value: { type: 'RUN_ERROR', message: 'Run cancelled', code: 'CANCELLED' },
    termination: { kind: 'cancelled' },
    unknown: ['by'],
    canonical: { type: 'RUN_ERROR', message: 'Run cancelled', code: 'abort' },
  },
  {
    value: { type: 'RUN_ERROR', message: 'boom' },
    termination: { kind: 'failed', error: { message: 'boom' } },
    unknown: ['error.name', 'origin', 'errorClass'],
  },
  {
    value: { type: 'RUN_ERROR', message: 'boom', code: 'ECONNRESET' },
    termination: { kind: 'failed', error: { message: 'boom', code: 'ECONNRESET' } },
    unknown: ['error.name', 'origin', 'errorClass'],
  },
]);

describe('AG-UI', () => {
  it.each(['approval', 'input', 'client_tool', 'confirm_outcome', 'gate'] as const)(
    'keeps a request of type %s whole',
    (type) => {
      const waiting = terminations.interactionPending({ requests: [{ id: '1', path: 'root', type, tool: 'deploy' }] });
      expect(agUi.encode(waiting)).toMatchObject({ fidelity: 'full', lost: [] });
    },
  );

  it('says how a run failed that it has no word for, with the kind as its code', () => {
    const limited = terminations.maxIterations({ limit: 25, used: 25, unit: 'turn' });
    expect(agUi.encode(limited)).toEqual({
      value: { type: 'RUN_ERROR', message: sentence(limited), code: 'max_iterations' },
      fidelity: 'none',
      lost: expect.arrayContaining(['kind', 'limit', 'used', 'unit']),
    });
  });

  it('hands on the result of a success that it has no word for', () => {
    expect(agUi.encode(terminations.submitted({ tool: 'submit', deliverable: { score: 7 } })).value).toEqual({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      result: { score: 7 },
    });
    expect(agUi.encode(terminations.skipped()).value).toEqual({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  });

  it('makes gates answerable by their ids', () => {
    const gates = [{ gateId: 'g1', path: 'review', summary: 'Publish?', deadline: '2026-03-01T12:00:00Z' }];
    expect(agUi.encode(terminations.gatePending({ gates })).value).toEqual(
      interrupt({
        id: 'g1',
        reason: 'fullstop:gate',
        message: 'Publish?',
        expiresAt: '2026-03-01T12:00:00Z',
        metadata: { fullstop: { path: 'review' } },
      }),
    );
  });

  it('makes any other pause one interrupt, since there must be one', () => {
    expect(agUi.encode({ kind: 'interaction_pending' })).toEqual({
      value: interrupt({
        id: 'interaction_pending',
        reason: 'fullstop:interaction_pending',
        message: 'interaction_pending',
      }),
      fidelity: 'none',
      lost: ['kind'],
    });
    const waiting = terminations.humanInterventionRequired({ criteria: ['tone'], approvalRefs: [] });
    expect(agUi.encode(waiting).value).toEqual(
      interrupt({
        id: 'human_intervention_required',
        reason: 'fullstop:human_intervention_required',
        message: sentence(waiting),
      }),
    );
  });

  it('says no more than that the run is over where it does not know how', () => {
    expect(agUi.encode({ kind: 'custom', reason: 'who knows' }).value).toEqual({ type: 'RUN_FINISHED' });
    expect(agUi.encode(terminations.indeterminate({ candidates: ['failed'] })).value).toEqual({ type: 'RUN_FINISHED' });
  });

  it('reads a time with an offset as the same instant in UTC, and drops one that is no time', () => {
    const read = (expiresAt: string) =>
      agUi.decode(interrupt({ id: '1', reason: 'confirmation', expiresAt })).termination;
    expect(read('2026-03-01T14:00:00+02:00')).toMatchObject({ requests: [{ deadline: '2026-03-01T12:00:00.000Z' }] });
    expect(read('soon')).toEqual({ kind: 'interaction_pending', requests: [{ id: '1', type: 'approval' }] });
  });

  it('never lets the code of a failure turn it into a cancellation', () => {
    const error = { name: 'Error', message: 'boom', code: 'abort' };
    const failed = terminations.failed({ error, origin: 'tool', errorClass: 'internal' });
    const { value, lost } = agUi.encode(failed);
    expect(value).toEqual({ type: 'RUN_ERROR', message: 'boom' });
    expect(lost).toContain('error.code');
  });

  it.each([
    { type: 'RUN_STARTED' },
    { type: 'RUN_FINISHED', outcome: { type: 'error' } },
    { type: 'RUN_FINISHED', outcome: { type: 'interrupt' } },
    { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [] } },
    { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: ['i-1'] } },
  ])('refuses %j, which ends no run', (value) => {
    expect(() => agUi.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('writes and reads a third-party kind under a code of its own', () => {
    const outOfStock = defineTermination({
      kind: 'shop.out_of_stock',
      schema: z.object({}),
      family: 'external',
      category: 'fatal',
      dialects: { 'ag-ui': 'RUN_ERROR OUT_OF_STOCK' },
    });
    const registry = createRegistry([outOfStock]);
    const { value } = agUi.encode(outOfStock({}), { registry });
    expect(value).toEqual({ type: 'RUN_ERROR', message: 'OUT_OF_STOCK', code: 'OUT_OF_STOCK' });
    expect(agUi.decode(value, { registry }).termination).toEqual(outOfStock({}));
  });
});
