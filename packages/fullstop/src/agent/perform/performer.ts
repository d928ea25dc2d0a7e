import type { ModelMessage } from '../../models/message.js';
import type { ModelDelta } from '../../models/model-response.js';
import { frozenCopy } from '../../run/frozen.js';
import type { MachinePerformer } from '../../run/machine/machine.js';
import type { RunContext, UnitResult } from '../../run/run-context.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { terminations } from '../../termination/terminations.js';
import { makeModelKey } from '../machine/agent-key.js';
import type { AgentPlan } from '../machine/plan.js';
import type { AgentRules } from '../machine/rules.js';
import type { AgentState, ToolOutcome } from '../machine/state.js';
import type { Prepared } from '../options/prepare.js';
import { type AgentDelta, type DeltaPlace, deltaListener } from '../stream/deltas.js';
import { handContext } from '../tools/unit-context.js';
import { goDeeper, unitOf } from '../tools/unit-tool.js';
import { checkCall } from './check-call.js';
import { handedConversation } from './handed-conversation.js';
import { judge } from './judge.js';
import type { AttemptListener, CallMemory } from './model-attempts.js';
import { performCompaction } from './perform-compaction.js';
import { performModel } from './perform-model.js';
import { performTool, refuseChanged } from './perform-tool.js';
import { receiveResult } from './receive-result.js';
import type { RunFacts } from './run-facts.js';
import { createTurns } from './turns.js';

export interface PerformerOptions {
  readonly prepared: Prepared;
  readonly rules: AgentRules;
  /** The conversation that the run was started with. */
  readonly input: readonly ModelMessage[];
  readonly context: Pick<RunContext, 'runId' | 'scope' | 'signal'>;
  /** The user's context; undefined when the run has none. */
  readonly given: unknown;
  /** A budget around the run that models without a known price are refused for. */
  readonly budgetUsd?: number | undefined;
}

/** The impure side of the loop: models, tools and the user's code. */
export function agentPerformer(options: PerformerOptions): MachinePerformer<AgentPlan> {
  const { prepared, rules, input, context, given, budgetUsd } = options;
  const facts: RunFacts = { runId: context.runId, context: given, unit: context, budgetUsd };
  // The user's code sees it.
  const asked = prepared.options.promptFor === undefined ? input : frozenCopy(input);
  const takeTurn = createTurns();
  const memory: CallMemory = { prompts: {}, limit: undefined };
  return {
    step(plan, attempt, begin) {
      if (plan.type === 'model')
        return performModel({
          prepared,
          rules,
          state: plan.state,
          attempt,
          facts,
          memory,
          listener: listenerOf(context, facts, plan.state),
        });
      if (plan.type === 'compact')
        return performCompaction({ prepared, rules, state: plan.state, attempt, facts, memory });
      if (plan.type === 'tool') {
        const { call, state } = plan;
        // Only calls that begin together have to wait for their turn.
        if (state.round.length === 1) return performTool({ prepared, call, state, attempt, facts, begin });
        return takeTurn(state.round, () => performTool({ prepared, call, state, attempt, facts, begin }));
      }
      throw unexpected(plan);
    },
    record(plan) {
      if (plan.type === 'judge') return judge({ prepared, rules, input: asked, state: plan.state, facts });
      if (plan.type === 'check') return checkCall({ prepared, call: plan.call, state: plan.state, facts });
      if (plan.type === 'receive') return receiveResult({ prepared, call: plan.call, state: plan.state, facts });
      throw unexpected(plan);
    },
    unit(plan, unit) {
      if (plan.type !== 'unit') throw unexpected(plan);
      const run = unitOf(prepared.tools.get(plan.call.tool)?.tool);
      const refusal = refuseChanged(prepared, plan.call);
      if (run === undefined || refusal !== undefined) return Promise.resolve(endWithout(refusal));
      goDeeper(context, unit);
      handContext(unit, given);
      const { call, state, timeMs } = plan;
      const handed = call.handsOff === true ? handedConversation(prepared, state, call) : call.input;
      return run(unit, handed, timeMs) as Promise<UnitResult>;
    },
  };
}

/** The listener to the words of the model; undefined when nobody listens, and then it need not stream. */
function listenerOf(
  context: PerformerOptions['context'],
  { runId }: RunFacts,
  { counts }: AgentState,
): AttemptListener | undefined {
  const listener = deltaListener(runId);
  if (listener === undefined) return undefined;
  const place = { path: context.scope, key: makeModelKey(counts.modelCalls + 1) };
  return {
    onDelta: (delta, attempt) => listener(placedDelta(delta, place, attempt)),
    onDiscarded: (attempt) => listener({ type: 'attempt_discarded', ...place, attempt }),
  };
}

/** A delta with its place. Spelled out, because it is made for every word, and spreads are copied member by member. */
function placedDelta(delta: ModelDelta, { path, key }: Omit<DeltaPlace, 'attempt'>, attempt: number): AgentDelta {
  const { type, text } = delta;
  if (type !== 'tool_input') return { type, text, path, key, attempt };
  const { id, tool } = delta;
  return { type, id, tool, text, path, key, attempt };
}

/** The ending of an agent inside this one that was begun when there was one, and is not there any more. */
function endWithout(refusal: ToolOutcome | undefined): UnitResult {
  const error = refusal?.error ?? {
    name: 'ToolCallError',
    message: 'The tool is no agent any more.',
    code: 'UNKNOWN_TOOL',
  };
  const termination = terminations.failed({ error, origin: 'tool', errorClass: 'configuration' });
  return { termination, output: { failure: error } } as unknown as UnitResult;
}

function unexpected({ type }: AgentPlan): FullstopError {
  return new FullstopError('INTERNAL_DEFECT', `The loop asks for ${type} in the wrong place.`);
}
