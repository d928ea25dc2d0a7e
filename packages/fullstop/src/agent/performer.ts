import type { Performer } from '../run/machine.js';
import type { UnitResult } from '../run/run-context.js';
import { FullstopError } from '../termination/fullstop-error.js';
import { judge } from './judge.js';
import { performCompaction } from './perform-compaction.js';
import { performModel } from './perform-model.js';
import { checkCall, performTool } from './perform-tool.js';
import type { AgentPlan } from './plan.js';
import type { Prepared } from './prepared.js';
import type { AgentRules } from './rules.js';
import { unitOf } from './unit-tool.js';

/** The impure side of the loop: models, tools and the user's code. */
export function agentPerformer(prepared: Prepared, rules: AgentRules): Performer<AgentPlan> {
  return {
    step(plan, attempt) {
      if (plan.type === 'model') return performModel(prepared, rules, plan.state, attempt);
      if (plan.type === 'compact') return performCompaction(prepared, plan.state, attempt);
      if (plan.type === 'tool') return performTool(prepared, plan.call, plan.state, attempt);
      throw unexpected(plan);
    },
    record(plan) {
      if (plan.type === 'judge') return judge(prepared, rules, plan.state);
      if (plan.type === 'check') return checkCall(prepared, plan.call, plan.state);
      throw unexpected(plan);
    },
    unit(plan, context) {
      const run = plan.type === 'unit' ? unitOf(prepared.tools.get(plan.call.tool)?.tool) : undefined;
      if (run === undefined || plan.type !== 'unit') throw unexpected(plan);
      return run(context, plan.call.input) as Promise<UnitResult>;
    },
  };
}

function unexpected({ type }: AgentPlan): FullstopError {
  return new FullstopError('INVALID_OPTION', `The loop asks for ${type} in the wrong place.`);
}
