import type { ForeignContinuation } from '../core/foreign-event.js';
import { verdictOf } from './deferred-call.js';
import type { ClaudeHook, ClaudeHookInput, ClaudeHookMatcher, ClaudeOptions } from './structure.js';

/** Our part in the hooks of a query. */
export interface HookListener {
  readonly continuation: ForeignContinuation | undefined;
  readonly onFailure: (input: ClaudeHookInput) => void;
  /** Weighs an answer whose calls are through; true when the run is to stop there. */
  readonly onBatch: (input: ClaudeHookInput) => Promise<boolean>;
}

/** How long a verdict may take, in seconds: conditions of one's own may ask a model. */
const longestVerdict = 3_600;

/** The caller's hooks with ours. The SDK waits for them, which makes them the door of the run. */
export function hooksOf(given: ClaudeOptions['hooks'], listener: HookListener): object {
  const onBatch: ClaudeHook = async (input) =>
    (await listener.onBatch(input)) ? { continue: false, stopReason: 'Fullstop ended the run.' } : {};
  const onFailure: ClaudeHook = async (input) => {
    listener.onFailure(input);
    return {};
  };
  const before = answeredHooks(given?.['PreToolUse'] ?? [], listener.continuation);
  return {
    ...given,
    ...(before.length > 0 && { PreToolUse: before }),
    // Failures are known before the answer that they belong to is weighed.
    PostToolUseFailure: [...(given?.['PostToolUseFailure'] ?? []), { hooks: [onFailure] }],
    PostToolBatch: [...(given?.['PostToolBatch'] ?? []), { hooks: [onBatch], timeout: longestVerdict }],
  };
}

/** A call that people have decided about is not asked about again: their answer stands in for the caller's own hooks. */
function answeredHooks(
  given: readonly ClaudeHookMatcher[],
  continuation: ForeignContinuation | undefined,
): readonly ClaudeHookMatcher[] {
  const decided = new Map<string, object>();
  for (const request of continuation?.requests ?? []) {
    const answer = continuation?.answers.find(({ requestId }) => requestId === request.id);
    if (answer !== undefined)
      decided.set(request.id, { hookSpecificOutput: { hookEventName: 'PreToolUse', ...verdictOf(request, answer) } });
  }
  if (decided.size === 0) return given;
  const wrap =
    (hook: ClaudeHook): ClaudeHook =>
    async (input, id, options) =>
      decided.has(input.tool_use_id ?? '') ? {} : await hook(input, id, options);
  const own: ClaudeHook = async ({ tool_use_id: id }) => decided.get(id ?? '') ?? {};
  return [...given.map((matcher) => ({ ...matcher, hooks: matcher.hooks.map(wrap) })), { hooks: [own] }];
}
