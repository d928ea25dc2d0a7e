import { describe, expect, it } from 'vitest';
import { describe as sentence } from '../termination/classify.js';
import type { JsonObject } from '../termination/json.js';
import { terminations } from '../termination/terminations.js';
import { claudeAgentSdk } from './claude-agent-sdk.js';
import { describeDialect, type Golden } from './dialect-suite.fixture.js';

const result = (members: JsonObject): JsonObject => ({ type: 'result', ...members });
const success = (reason: string): JsonObject =>
  result({ subtype: 'success', is_error: false, terminal_reason: reason });
const failure = (reason: string, subtype = 'error_during_execution'): JsonObject =>
  result({ subtype, is_error: true, terminal_reason: reason });
const apiError: JsonObject = result({ subtype: 'success', is_error: true, terminal_reason: 'api_error' });
const apiCandidates = ['provider_failed', 'agent_refused', 'output_truncated', 'failed'];

const terminalReasons: readonly Golden[] = [
  { value: success('completed'), termination: { kind: 'natural_end' }, unknown: [] },
  {
    value: { ...failure('max_turns', 'error_max_turns'), num_turns: 12 },
    termination: { kind: 'max_iterations', used: 12, unit: 'turn' },
    unknown: ['limit'],
  },
  {
    value: { ...failure('budget_exhausted', 'error_max_budget_usd'), total_cost_usd: 1.25 },
    termination: { kind: 'cost_budget', usedUsd: 1.25 },
    unknown: ['limitUsd'],
  },
  {
    value: failure('structured_output_retry_exhausted', 'error_max_structured_output_retries'),
    termination: { kind: 'structured_output_exhausted' },
    unknown: ['attempts', 'violations'],
  },
  { value: failure('prompt_too_long'), termination: { kind: 'prompt_too_long' }, unknown: [] },
  ...['blocking_limit', 'rapid_refill_breaker'].map((reason) => ({
    value: failure(reason),
    termination: { kind: 'prompt_too_long' } as const,
    unknown: [],
    canonical: failure('prompt_too_long'),
  })),
  ...['image_error', 'tool_deferred_unavailable', 'turn_setup_failed'].map((reason) => ({
    value: { ...failure(reason), errors: ['no luck', 'none at all'] },
    termination: { kind: 'failed', error: { code: reason, message: 'no luck\nnone at all' } } as const,
    unknown: ['error.name', 'origin', 'errorClass'],
  })),
  {
    value: failure('image_error'),
    termination: { kind: 'failed', error: { code: 'image_error' } },
    unknown: ['error.name', 'error.message', 'origin', 'errorClass'],
  },
  {
    value: failure('model_error'),
    termination: { kind: 'indeterminate', candidates: ['provider_failed', 'agent_refused', 'failed'] },
    unknown: [],
  },
  { value: apiError, termination: { kind: 'indeterminate', candidates: apiCandidates }, unknown: [] },
  {
    value: { ...apiError, api_error_status: 400 },
    termination: { kind: 'indeterminate', candidates: apiCandidates },
    unknown: [],
    canonical: apiError,
  },
  {
    value: { ...apiError, api_error_status: 401 },
    termination: { kind: 'provider_auth', status: 401 },
    unknown: ['provider'],
  },
  {
    value: { ...apiError, api_error_status: 402 },
    termination: { kind: 'provider_quota', status: 402 },
    unknown: ['provider', 'message'],
  },
  {
    value: { ...apiError, api_error_status: 429 },
    termination: { kind: 'provider_failed', status: 429 },
    unknown: ['attempts'],
  },
  {
    value: failure('malformed_tool_use_exhausted'),
    termination: { kind: 'consecutive_mistakes', lastMistake: { problem: 'bad_arguments' } },
    unknown: ['limit', 'used', 'lastMistake.message'],
  },
  { value: failure('aborted_streaming'), termination: { kind: 'cancelled' }, unknown: ['by'] },
  {
    value: failure('aborted_tools'),
    termination: { kind: 'cancelled' },
    unknown: ['by'],
    canonical: failure('aborted_streaming'),
  },
  {
    value: success('hook_stopped'),
    termination: { kind: 'halted', by: { type: 'hook' } },
    unknown: ['by.name', 'reason'],
  },
  {
    value: success('stop_hook_prevented'),
    termination: { kind: 'halted', by: { type: 'hook' } },
    unknown: ['by.name', 'reason'],
    canonical: success('hook_stopped'),
  },
  {
    value: { ...success('tool_deferred'), deferred_tool_use: { id: 'call-1', name: 'Bash', input: { command: 'ls' } } },
    termination: {
      kind: 'interaction_pending',
      requests: [{ id: 'call-1', tool: 'Bash', input: { command: 'ls' } }],
    },
    unknown: ['requests[0].path', 'requests[0].type'],
  },
  {
    value: success('background_requested'),
    termination: { kind: 'interaction_pending' },
    unknown: ['requests'],
    canonical: success('tool_deferred'),
  },
];

const refused = { ...apiError, stop_reason: 'refusal' };
const truncated = { ...apiError, stop_reason: 'max_tokens' };

const stopReasons: readonly Golden[] = [
  {
    value: refused,
    termination: { kind: 'agent_refused', by: 'model' },
    unknown: ['agentId', 'reason'],
  },
  {
    value: { ...success('completed'), stop_reason: 'refusal' },
    termination: { kind: 'agent_refused', by: 'model' },
    unknown: ['agentId', 'reason'],
    canonical: refused,
  },
  { value: truncated, termination: { kind: 'output_truncated', reason: 'length' }, unknown: [] },
  {
    value: { ...success('completed'), stop_reason: 'max_tokens' },
    termination: { kind: 'output_truncated', reason: 'length' },
    unknown: [],
    canonical: truncated,
  },
];

const subtypes: readonly Golden[] = [
  {
    value: result({ subtype: 'success', is_error: false }),
    termination: { kind: 'natural_end' },
    unknown: [],
    canonical: success('completed'),
  },
  {
    value: result({ subtype: 'error_max_turns', is_error: true, num_turns: 3 }),
    termination: { kind: 'max_iterations', used: 3, unit: 'turn' },
    unknown: ['limit'],
    canonical: { ...failure('max_turns', 'error_max_turns'), num_turns: 3 },
  },
  {
    value: result({ subtype: 'error_max_budget_usd', is_error: true, total_cost_usd: 2 }),
    termination: { kind: 'cost_budget', usedUsd: 2 },
    unknown: ['limitUsd'],
    canonical: { ...failure('budget_exhausted', 'error_max_budget_usd'), total_cost_usd: 2 },
  },
  {
    value: result({ subtype: 'error_max_structured_output_retries', is_error: true }),
    termination: { kind: 'structured_output_exhausted' },
    unknown: ['attempts', 'violations'],
    canonical: failure('structured_output_retry_exhausted', 'error_max_structured_output_retries'),
  },
  {
    value: result({ subtype: 'error_during_execution', is_error: true, errors: ['boom'] }),
    termination: { kind: 'failed', error: { message: 'boom' } },
    unknown: ['error.name', 'origin', 'errorClass'],
  },
];

describeDialect(claudeAgentSdk, [...terminalReasons, ...stopReasons, ...subtypes]);

describe('Claude Agent SDK', () => {
  it('reads the ending of a whole message and leaves the rest of it alone', () => {
    const message = {
      ...success('completed'),
      duration_ms: 1200,
      num_turns: 4,
      total_cost_usd: 0.31,
      result: 'done',
      structured_output: { score: 7 },
      session_id: 's',
    };
    expect(claudeAgentSdk.decode(message)).toEqual({ termination: { kind: 'natural_end' }, unknown: [] });
  });

  it('believes the terminal reason rather than the subtype', () => {
    const message = result({ subtype: 'success', is_error: false, terminal_reason: 'max_turns', num_turns: 8 });
    expect(claudeAgentSdk.decode(message).termination).toEqual({ kind: 'max_iterations', used: 8, unit: 'turn' });
  });

  it('does not take a success with is_error for a success', () => {
    const message = result({ subtype: 'success', is_error: true, api_error_status: 503 });
    expect(claudeAgentSdk.decode(message).termination).toEqual({ kind: 'provider_failed', status: 503 });
    expect(claudeAgentSdk.decode({ ...success('completed'), is_error: true }).termination.kind).toBe('indeterminate');
  });

  it('looks at the stop reason of the model only where it can be the cause', () => {
    const message = { ...failure('max_turns', 'error_max_turns'), stop_reason: 'max_tokens' };
    expect(claudeAgentSdk.decode(message).termination.kind).toBe('max_iterations');
  });

  it('reads a deferred tool call of versions that name it in the stop reason only', () => {
    const message = result({ subtype: 'success', is_error: false, stop_reason: 'tool_deferred' });
    expect(claudeAgentSdk.decode(message).termination.kind).toBe('interaction_pending');
  });

  it('falls back on an error subtype for a reason of a newer version, but never on success', () => {
    const newer = failure('moon_phase', 'error_max_turns');
    expect(claudeAgentSdk.decode(newer).termination).toEqual({ kind: 'max_iterations', unit: 'turn' });
    expect(() => claudeAgentSdk.decode(success('moon_phase'))).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_WORD' }),
    );
  });

  it('refuses errors that are no texts', () => {
    expect(() => claudeAgentSdk.decode({ ...failure('image_error'), errors: [7] })).toThrow(
      'image_error: errors must be a list of strings.',
    );
  });

  it('says of a run that it has no word for how it ended, in plain English', () => {
    const lost = terminations.noRoute({ step: 'triage', output: null });
    expect(claudeAgentSdk.encode(lost)).toEqual({
      value: result({ subtype: 'error_during_execution', is_error: true, errors: [sentence(lost)] }),
      fidelity: 'none',
      lost: ['kind', 'step', 'output'],
    });
    const unreachable = terminations.providerFailed({ attempts: 2 });
    expect(claudeAgentSdk.encode(unreachable).value).toEqual({ ...apiError, result: sentence(unreachable) });
  });

  it('calls whoever halted a run a hook, and names the tool as lost', () => {
    const halted = terminations.halted({ by: { type: 'tool', name: 'deploy' }, reason: 'frozen' });
    expect(claudeAgentSdk.encode(halted)).toEqual({
      value: success('hook_stopped'),
      fidelity: 'word',
      lost: ['by.type', 'by.name', 'reason'],
    });
  });

  it.each([
    [terminations.submitted({ tool: 'submit' }), success('completed')],
    [terminations.gatePending({ gates: [] }), success('tool_deferred')],
    [terminations.tokenBudget({ limit: 10, used: 12 }), failure('budget_exhausted', 'error_max_budget_usd')],
    [terminations.maxToolCalls({ limit: 3, used: 3 }), failure('max_turns', 'error_max_turns')],
  ] as const)('writes %j as what its readers would do about it', (termination, message) => {
    const { value, fidelity } = claudeAgentSdk.encode(termination);
    expect(value).toMatchObject(message);
    expect(fidelity).toBe('none');
  });

  it('writes the first of several requests and names the others as lost', () => {
    const request = { path: 'a', type: 'approval', tool: 'Bash' } as const;
    const both = terminations.interactionPending({
      requests: [
        { ...request, id: '1' },
        { ...request, id: '2' },
      ],
    });
    const { value, lost } = claudeAgentSdk.encode(both);
    expect(value).toEqual({ ...success('tool_deferred'), deferred_tool_use: { id: '1', name: 'Bash' } });
    expect(lost).toContain('requests[1].id');
  });
});
