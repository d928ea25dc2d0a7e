import { expect, test } from 'vitest';
import { loopDetection } from '../../stop/conditions/loop-detection.js';
import { knownTerminalReasons } from './result-cause.js';
import type { ClaudeHookMatcher, ClaudeMessage, ClaudeOptions, ClaudeResult } from './structure.js';
import { streamWithEnding, withEnding } from './with-ending.js';

interface Given {
  readonly prompt: string;
  readonly options?: ClaudeOptions;
}

/** A query that says these messages, and throws in the end where there is something to throw. */
function saying(messages: readonly Partial<ClaudeMessage>[], error?: Error) {
  return async function* query(_given: Given): AsyncGenerator<ClaudeMessage> {
    for (const message of messages) yield { session_id: 'one', ...message } as ClaudeMessage;
    if (error !== undefined) throw error;
  };
}

const result = (fields: Partial<ClaudeResult> = {}): Partial<ClaudeResult> => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'done',
  terminal_reason: 'completed',
  stop_reason: 'end_turn',
  result_index: 0,
  ...fields,
});

const expected: Readonly<Record<string, object>> = {
  aborted_streaming: { kind: 'cancelled', by: 'caller' },
  aborted_tools: { kind: 'cancelled', by: 'caller' },
  api_error: { kind: 'provider_failed', attempts: 1, message: 'done' },
  background_requested: { kind: 'indeterminate', candidates: ['natural_end', 'failed'] },
  blocking_limit: { kind: 'prompt_too_long', message: 'done' },
  budget_exhausted: { kind: 'cost_budget', limitUsd: 2, usedUsd: 2.5 },
  completed: { kind: 'natural_end' },
  hook_stopped: { kind: 'halted', by: { type: 'hook', name: 'hook' }, reason: 'done' },
  image_error: { kind: 'provider_failed', message: 'done' },
  malformed_tool_use_exhausted: { kind: 'failed', errorClass: 'external', error: { message: 'done' } },
  max_turns: { kind: 'max_iterations', limit: 3, used: 3, unit: 'turn' },
  model_error: { kind: 'provider_failed', message: 'done' },
  prompt_too_long: { kind: 'prompt_too_long', message: 'done' },
  rapid_refill_breaker: { kind: 'compaction_failed', stage: 'refill' },
  stop_hook_prevented: { kind: 'halted', by: { type: 'hook', name: 'Stop' } },
  structured_output_retry_exhausted: { kind: 'structured_output_exhausted', violations: [{ message: 'done' }] },
  tool_deferred: { kind: 'interaction_pending', requests: [{ id: 'call', type: 'approval', tool: 'deploy' }] },
  tool_deferred_unavailable: { kind: 'failed', errorClass: 'configuration' },
  turn_setup_failed: { kind: 'failed', errorClass: 'internal' },
};

test('every terminal reason of the SDK has its ending', async () => {
  expect(Object.keys(expected).sort()).toEqual([...knownTerminalReasons].sort());
  for (const [reason, ending] of Object.entries(expected)) {
    const deferred = reason === 'tool_deferred' ? { deferred_tool_use: { id: 'call', name: 'deploy', input: {} } } : {};
    const query = saying([result({ terminal_reason: reason, total_cost_usd: 2.5, ...deferred })]);
    const options = { maxTurns: 3, maxBudgetUsd: 2 };
    const { termination } = await withEnding(query, { prompt: 'go', options });
    expect(termination, reason).toMatchObject(ending);
  }
});

test('a reason of a newer SDK is not guessed at', async () => {
  const { termination } = await withEnding(saying([result({ terminal_reason: 'out_of_paper' })]), { prompt: 'go' });
  expect(termination).toEqual({ kind: 'indeterminate', candidates: ['natural_end', 'custom'] });
});

test.each([
  ['success', { kind: 'natural_end' }],
  ['error_max_turns', { kind: 'max_iterations' }],
  ['error_max_budget_usd', { kind: 'cost_budget' }],
  ['error_max_structured_output_retries', { kind: 'structured_output_exhausted' }],
  ['error_during_execution', { kind: 'failed', errorClass: 'unknown', error: { message: 'it broke' } }],
])('a result without a reason is read by its subtype: %s', async (subtype, ending) => {
  const { terminal_reason: _reason, ...old } = result({ subtype, errors: ['it broke'] });
  const { termination } = await withEnding(saying([old]), { prompt: 'go', options: { maxTurns: 1, maxBudgetUsd: 1 } });
  expect(termination).toMatchObject(ending);
});

test('a start that failed is a matter of configuration, with its reason as the code', async () => {
  const failed = result({
    subtype: 'error_during_execution',
    is_error: true,
    errors: ['The proxy is no address.'],
    startup_failure_reason: 'proxy_invalid',
  });
  const { termination } = await withEnding(saying([failed]), { prompt: 'go' });
  expect(termination).toMatchObject({ kind: 'failed', errorClass: 'configuration', error: { code: 'proxy_invalid' } });
});

test('a gap in the numbers of results leaves open what the lost one said', async () => {
  const lost = await withEnding(saying([result({ result_index: 1 })]), { prompt: 'go' });
  expect(lost.termination).toEqual({ kind: 'indeterminate', candidates: ['natural_end', 'failed'] });
  expect(lost.result).toMatchObject({ result_index: 1 });
  const between = saying([result(), result({ result_index: 2, terminal_reason: 'max_turns' })]);
  expect((await withEnding(between, { prompt: 'go' })).termination).toEqual({
    kind: 'indeterminate',
    candidates: ['max_iterations', 'failed'],
  });
  const complete = saying([result({ terminal_reason: 'tool_deferred_unavailable' }), result({ result_index: 1 })]);
  expect((await withEnding(complete, { prompt: 'go' })).termination).toEqual({ kind: 'natural_end' });
});

test('a query that ends without a result has an ending all the same', async () => {
  const silent = await withEnding(saying([{ type: 'system', subtype: 'init' }]), { prompt: 'go' });
  expect(silent.termination).toEqual({ kind: 'indeterminate', candidates: ['natural_end', 'failed'] });
  const error = new Error('Claude Code process exited with code 1');
  const died = await withEnding(saying([{ type: 'system', subtype: 'init' }], error), { prompt: 'go' });
  expect(died.termination).toMatchObject({ kind: 'failed', error: { message: error.message } });
  expect(died.error).toBe(error);
});

test('output that was asked for and did not come is no natural end', async () => {
  const options = { outputFormat: { type: 'json_schema', schema: {} } };
  const { termination } = await withEnding(saying([result()]), { prompt: 'go', options });
  expect(termination).toMatchObject({ kind: 'schema_validation', received: 'done' });
});

/** A query that calls the same tool until its hooks stop it. */
async function* insisting({ options = {} }: Given): AsyncGenerator<ClaudeMessage> {
  const hooks = (name: string): readonly ClaudeHookMatcher[] => options.hooks?.[name] ?? [];
  for (let turn = 0; turn < 20; turn += 1) {
    const call = { type: 'tool_use', id: `call_${turn}`, name: 'look', input: {} };
    const usage = { input_tokens: 40, output_tokens: 1 };
    yield { type: 'assistant', session_id: 'one', message: { id: `m${turn}`, model: 'fake', content: [call], usage } };
    const delta = { stop_reason: 'tool_use' };
    yield { type: 'stream_event', event: { type: 'message_delta', delta, usage: { output_tokens: 10 } } };
    const content = [{ type: 'tool_result', tool_use_id: call.id, content: 'nothing' }];
    yield { type: 'user', message: { content } };
    const calls = [{ tool_name: 'look', tool_input: {}, tool_use_id: call.id, tool_response: 'nothing' }];
    for (const { hooks: own } of hooks('PostToolBatch')) {
      for (const hook of own) {
        const said = (await hook({ tool_calls: calls }, undefined, {})) as { readonly continue?: boolean };
        if (said.continue !== false) continue;
        yield result({ terminal_reason: 'hook_stopped', session_id: 'one' }) as ClaudeMessage;
        return;
      }
    }
  }
}

test('a loop is stopped at the door of the SDK, with its result and exact tokens', async () => {
  const {
    termination,
    result: own,
    run,
  } = await withEnding(insisting, { prompt: 'go' }, { stopWhen: [loopDetection()] });
  expect(termination).toMatchObject({ kind: 'loop_detected', repeats: 3 });
  expect(own).toMatchObject({ terminal_reason: 'hook_stopped' });
  expect(run.usage).toMatchObject({ inputTokens: 120, outputTokens: 30 });
});

test('readers see every message but the events that they did not ask for', async () => {
  for (const includePartialMessages of [false, true]) {
    const given = { prompt: 'go', options: { includePartialMessages } };
    const { result: query, ending } = await streamWithEnding(insisting, given, { stopWhen: [loopDetection()] });
    const types: string[] = [];
    for await (const { type } of query) types.push(type);
    const turn = includePartialMessages ? ['assistant', 'stream_event', 'user'] : ['assistant', 'user'];
    expect(types).toEqual([...turn, ...turn, ...turn, 'result']);
    expect((await ending).termination.kind).toBe('loop_detected');
  }
});

test('whoever leaves the messages has cancelled the run', async () => {
  async function* endless(_given: Given): AsyncGenerator<ClaudeMessage> {
    for (;;) {
      yield { type: 'system', subtype: 'status' };
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const { result: query, ending } = await streamWithEnding(endless, { prompt: 'go' });
  for await (const _message of query) break;
  expect((await ending).termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
});
