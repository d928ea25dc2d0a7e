import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describe as sentenceFor } from '../termination/classify.js';
import { defineTermination } from '../termination/define-termination.js';
import type { JsonObject } from '../termination/json.js';
import { createRegistry } from '../termination/registry.js';
import { terminations } from '../termination/terminations.js';
import { conductor, conductorExitCode } from './conductor.js';
import { describeDialect, type Golden } from './dialect-suite.fixture.js';

const completed = (data: JsonObject): JsonObject => ({ type: 'workflow_completed', data });
const failed = (data: JsonObject): JsonObject => ({ type: 'workflow_failed', data });

/** A failure that is read by the name of its error alone. */
function plainFailure(name: string, errorClass?: 'configuration' | 'external'): Golden {
  return {
    value: failed({ error_type: name, message: 'boom', agent_name: 'draft' }),
    canonical: failed({ error_type: name, message: 'boom' }),
    termination: { kind: 'failed', error: { name, message: 'boom' }, ...(errorClass !== undefined && { errorClass }) },
    unknown: errorClass === undefined ? ['origin', 'errorClass'] : ['origin'],
  };
}

describeDialect(conductor, [
  {
    value: completed({ elapsed: 1.5, output: { ok: true } }),
    canonical: completed({}),
    termination: { kind: 'flow_completed' },
    unknown: ['last'],
  },
  {
    value: completed({
      output: { changed: 0 },
      termination_reason: 'already up to date',
      terminated_by: 'noop_exit',
      is_explicit: true,
      status: 'success',
    }),
    termination: {
      kind: 'terminated',
      status: 'success',
      reason: 'already up to date',
      by: 'noop_exit',
      output: { changed: 0 },
    },
    unknown: [],
  },
  {
    value: failed({
      error_type: 'WorkflowTerminated',
      message: 'limit 17 hit',
      agent_name: 'halt',
      termination_reason: 'limit 17 hit',
      terminated_by: 'halt',
      status: 'failed',
      is_explicit: true,
      output: {},
    }),
    termination: { kind: 'terminated', status: 'failed', reason: 'limit 17 hit', by: 'halt', output: {} },
    unknown: [],
  },
  {
    value: failed({
      error_type: 'SubworkflowTerminatedError',
      message: 'Sub-workflow … stock empty',
      agent_name: 'sub',
    }),
    canonical: failed({ error_type: 'SubworkflowTerminatedError', agent_name: 'sub' }),
    termination: {
      kind: 'child_failed',
      child: { name: 'sub' },
      termination: { kind: 'terminated', status: 'failed' },
    },
    unknown: ['child.path', 'termination.reason', 'termination.by'],
  },
  {
    value: failed({ error_type: 'MaxIterationsError', message: 'exceeded maximum iterations (10)', agent_name: 'z' }),
    canonical: failed({ error_type: 'MaxIterationsError' }),
    termination: { kind: 'max_iterations', unit: 'step' },
    unknown: ['limit', 'used'],
  },
  {
    value: failed({
      error_type: 'TimeoutError',
      message: 'exceeded timeout (1s)',
      agent_name: 'a',
      elapsed_seconds: 1.003,
      timeout_seconds: 1,
      current_agent: 'a',
    }),
    canonical: failed({ error_type: 'TimeoutError', elapsed_seconds: 1.003, timeout_seconds: 1 }),
    termination: { kind: 'time_budget', scope: 'run', elapsedMs: 1003, limitMs: 1000 },
    unknown: [],
  },
  {
    value: failed({ error_type: 'AgentTimeoutError', elapsed_seconds: 30.25, timeout_seconds: 30 }),
    termination: { kind: 'time_budget', scope: 'step', elapsedMs: 30_250, limitMs: 30_000 },
    unknown: [],
  },
  {
    value: failed({ error_type: 'BudgetExceededError', budget_usd: 2, spent_usd: 2.4, current_agent: 'a' }),
    canonical: failed({ error_type: 'BudgetExceededError', budget_usd: 2, spent_usd: 2.4 }),
    termination: { kind: 'cost_budget', limitUsd: 2, usedUsd: 2.4 },
    unknown: [],
  },
  {
    value: failed({
      error_type: 'InterruptError',
      message: 'Workflow stopped by user interrupt',
      agent_name: 'draft',
      stopped_by_user: true,
    }),
    canonical: failed({
      error_type: 'InterruptError',
      message: 'Workflow stopped by user interrupt',
      stopped_by_user: true,
    }),
    termination: { kind: 'cancelled', by: 'operator', reason: 'Workflow stopped by user interrupt' },
    unknown: [],
  },
  {
    value: failed({ error_type: 'ExecutionError', stopped_by_user: true, checkpoint_path: '/tmp/c.json' }),
    canonical: failed({ error_type: 'InterruptError', stopped_by_user: true }),
    termination: { kind: 'cancelled', by: 'operator' },
    unknown: [],
  },
  plainFailure('ConfigurationError', 'configuration'),
  plainFailure('ValidationError'),
  plainFailure('TemplateError'),
  plainFailure('ProviderError', 'external'),
  plainFailure('HumanGateError'),
  plainFailure('ExecutionError'),
  plainFailure('ValueError'),
  plainFailure('KeyError'),
  plainFailure('EOFError'),
  plainFailure('ZeroDivisionError'),
  { value: failed({}), termination: { kind: 'failed' }, unknown: ['error', 'origin', 'errorClass'] },
]);

describe('Conductor', () => {
  const child = { name: 'sub', path: 'main/sub' };

  it('reads a whole record of the event log', () => {
    const record = { type: 'workflow_completed', timestamp: 1_760_000_000.5, data: { elapsed: 2, output: {} } };
    expect(conductor.decode(record).termination).toEqual({ kind: 'flow_completed' });
  });

  it.each([
    { type: 'workflow_failed' },
    { type: 'workflow_started', data: {} },
    failed({ error_type: 3 }),
    failed({ error_type: 'ValueError', message: 3 }),
    failed({ error_type: 'TimeoutError', elapsed_seconds: '1' }),
  ])('refuses %j', (value) => {
    expect(() => conductor.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
  });

  it('does not let the name of an error turn a failure into something else', () => {
    const error = { name: 'TimeoutError', message: 'fetch took too long' };
    expect(conductor.encode(terminations.failed({ error, origin: 'tool', errorClass: 'external' }))).toEqual({
      value: failed({ error_type: 'ExecutionError', message: 'fetch took too long' }),
      fidelity: 'word',
      lost: ['error.name', 'origin', 'errorClass'],
    });
  });

  it('keeps of an explicit end in a child only who ran the child', () => {
    const stop = terminations.terminated({ status: 'failed', reason: 'stock empty', by: 'abort' });
    expect(conductor.encode(terminations.childFailed({ child, termination: stop }))).toEqual({
      value: failed({ error_type: 'SubworkflowTerminatedError', agent_name: 'sub' }),
      fidelity: 'word',
      lost: ['child.path', 'termination.reason', 'termination.by'],
    });
  });

  it('passes the same error on from a grandchild', () => {
    const stop = terminations.terminated({ status: 'failed', reason: 'stock empty', by: 'abort' });
    const inner = terminations.childFailed({ child: { name: 'deep', path: 'main/sub/deep' }, termination: stop });
    expect(conductor.encode(terminations.childFailed({ child, termination: inner })).value).toEqual(
      failed({ error_type: 'SubworkflowTerminatedError', agent_name: 'sub' }),
    );
  });

  it('lets any other error of a child become that of its parent', () => {
    const spent = terminations.costBudget({ limitUsd: 2, usedUsd: 2.4 });
    expect(conductor.encode(terminations.childFailed({ child, termination: spent }))).toMatchObject({
      value: failed({ error_type: 'BudgetExceededError', budget_usd: 2, spent_usd: 2.4, agent_name: 'sub' }),
      fidelity: 'none',
    });
  });

  it('writes a missing route as the ValueError that it is there', () => {
    const lost = terminations.noRoute({ step: 'triage', output: { kind: 'x' } });
    expect(conductor.encode(lost)).toEqual({
      value: failed({ error_type: 'ValueError', message: sentenceFor(lost) }),
      fidelity: 'none',
      lost: ['kind', 'step', 'output.kind'],
    });
  });

  it('knows only success and failure of other kinds, and has no event for a run that waits', () => {
    expect(conductor.encode(terminations.naturalEnd()).value).toEqual(completed({}));
    expect(conductor.encode(terminations.skipped({})).value).toEqual(completed({}));
    const looped = terminations.loopDetected({ cycle: [{ tool: 'search' }], repeats: 3 });
    expect(conductor.encode(looped).value).toEqual(
      failed({ error_type: 'ExecutionError', message: sentenceFor(looped) }),
    );
    expect(conductor.encode(terminations.gatePending({ gates: [] })).value).toBeNull();
    expect(conductor.encode({ kind: 'custom', reason: 'odd' }).fidelity).toBe('none');
  });

  it('brings durations over and back unchanged', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(1, 10, 1000), (count, parts) => {
        const budget = terminations.timeBudget({ limitMs: 60_000, elapsedMs: count / parts, scope: 'run' });
        expect(conductor.encode(budget).fidelity).toBe('full');
      }),
    );
  });

  it('takes a registered third-party kind for the class of an error', () => {
    const throttled = defineTermination({
      kind: 'billing.throttled',
      schema: z.object({}),
      family: 'limit',
      category: 'capacity',
      dialects: { conductor: 'workflow_failed:ThrottledError' },
    });
    const registry = createRegistry([throttled]);
    const value = failed({ error_type: 'ThrottledError' });
    expect(conductor.encode(throttled(), { registry })).toEqual({ value, fidelity: 'full', lost: [] });
    expect(conductor.decode(value, { registry }).termination).toEqual(throttled());
  });

  it.each([
    [0, terminations.flowCompleted({ last: 'publish' })],
    [0, terminations.terminated({ status: 'success', reason: 'nothing to do', by: 'noop' })],
    [1, terminations.terminated({ status: 'failed', reason: 'unsafe', by: 'abort' })],
    [
      1,
      terminations.childFailed({
        child,
        termination: terminations.terminated({ status: 'failed', reason: 'unsafe', by: 'abort' }),
      }),
    ],
    [1, terminations.maxIterations({ limit: 10, used: 10, unit: 'step' })],
    [1, terminations.timeBudget({ limitMs: 1000, elapsedMs: 1003, scope: 'run' })],
    [1, terminations.costBudget({ limitUsd: 2, usedUsd: 2.4 })],
    [1, terminations.noRoute({ step: 'triage', output: null })],
    [1, terminations.cancelled({ by: 'operator' })],
    [1, terminations.gatePending({ gates: [] })],
    [130, terminations.cancelled({ by: 'signal' })],
    [130, terminations.cancelled({ by: 'signal', reason: 'SIGINT' })],
    [143, terminations.cancelled({ by: 'signal', reason: 'SIGTERM' })],
    [0, terminations.skipped({})],
  ] as const)('exits with %i after %j', (code, termination) => {
    expect(conductorExitCode(termination)).toBe(code);
  });
});
