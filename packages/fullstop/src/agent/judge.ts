import type { EvaluationPoint, LoopView } from '../stop/observation.js';
import type { Ending } from '../termination/ending.js';
import { toErrorData } from '../termination/to-error-data.js';
import { askHook } from './ask-hook.js';
import { itemsOf } from './log.js';
import type { Prepared } from './prepared.js';
import { type AgentRules, conditionsOf } from './rules.js';
import type { AgentState, Judgement, Phase } from './state.js';
import { totals } from './weigh.js';

const points: Readonly<Record<Phase, EvaluationPoint>> = {
  opening: 'before_call',
  compacting: 'before_call',
  model: 'before_call',
  tools: 'after_tools',
  judging_answer: 'after_response',
  judging_call: 'after_tools',
  judging_tools: 'after_tools',
  judging_iteration: 'after_iteration',
};

/** Asks the user's code what it thinks of the state at hand. Its answers are journalled together and never asked again. */
export async function judge(prepared: Prepared, rules: AgentRules, state: AgentState): Promise<Judgement> {
  const { hooks } = prepared.options;
  if (state.ending !== null) {
    await hooks?.onEnd?.({ termination: state.ending });
    return {};
  }
  const place = { iteration: state.counts.iterations + 1, messages: itemsOf(state.messages) };
  if (state.phase === 'opening') return hookJudgement(await askHook(hooks, 'beforeIteration', place));
  const view = viewOf(state);
  const endsIteration = state.phase === 'judging_answer' || state.phase === 'judging_iteration';
  const asksGoal = state.phase !== 'judging_iteration' || rules.goal === 'iteration';
  try {
    const goal = asksGoal && prepared.goal !== undefined && (await prepared.goal.isReached(view));
    const verdicts = endsIteration ? await verdictsOf(rules, state, view) : undefined;
    const said = endsIteration ? hookJudgement(await askHook(hooks, 'afterIteration', place)) : {};
    return { ...said, ...(goal === true && { goal }), ...(verdicts !== undefined && { verdicts }) };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

function hookJudgement({ directive, injected }: Judgement): Judgement {
  return { ...(directive !== undefined && { directive }), ...(injected !== undefined && { injected }) };
}

function viewOf(state: AgentState): LoopView {
  const messages = itemsOf(state.messages) as unknown as LoopView['messages'];
  return { ...totals(state, points[state.phase]), answer: state.text, messages };
}

async function verdictsOf(rules: AgentRules, state: AgentState, view: LoopView): Promise<Judgement['verdicts']> {
  const verdicts: [string, Ending][] = [];
  for (const { name, evaluateAsync } of conditionsOf(rules, state)) {
    const verdict = await evaluateAsync?.(view);
    if (verdict !== undefined) verdicts.push([name, verdict as Ending]);
  }
  return verdicts.length === 0 ? undefined : Object.fromEntries(verdicts);
}
