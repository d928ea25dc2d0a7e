import type { ModelMessage } from '../../models/message.js';
import { frozenCopy } from '../../run/frozen.js';
import { itemsOf } from '../../run/log.js';
import type { LoopObservation, LoopView } from '../../stop/observation.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import { found } from '../../termination/check.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { createRegistry, type TerminationRegistry } from '../../termination/registry.js';
import { isUnfinished } from '../machine/answer.js';
import { phases } from '../machine/phases.js';
import { reachesGoal, resultParts } from '../machine/round.js';
import { type AgentRules, conditionsOf } from '../machine/rules.js';
import type { AgentState, Judgement } from '../machine/state.js';
import { observeTotals } from '../machine/weigh.js';
import type { GoalView } from '../options/goal.js';
import type { Prepared } from '../options/prepare.js';
import { askHook, type HookVerdict } from './ask-hook.js';
import { copyJson } from './copy-json.js';
import { iterationView } from './iteration-view.js';
import { hookView, type RunFacts } from './run-facts.js';
import { snapshotOf, withMessages } from './snapshot.js';

export interface Judging {
  readonly prepared: Prepared;
  readonly rules: AgentRules;
  /** The conversation that the run was started with. */
  readonly input: readonly ModelMessage[];
  readonly state: AgentState;
  readonly facts: RunFacts;
}

/** Asks the user's code about the state at hand. Its answers are journalled together and never asked for again. */
export async function judge(judging: Judging): Promise<Judgement> {
  const { prepared, rules, state, facts } = judging;
  const { hooks } = prepared.options;
  if (state.ending !== null) {
    await hooks?.onEnd?.(hookView({ termination: frozenCopy(state.ending) }, facts));
    return {};
  }
  if (state.phase === 'prompting') return judgePrompt(judging);
  if (state.phase === 'opening') return judgeOpening(judging);
  const place = iterationView(judging, {});
  const view = viewOf(state);
  // Where a goal was reached already, only custom conditions may have something against it.
  const isReached = state.phase === 'judging_answer' && (state.finished !== null || isUnfinished(state));
  const endsIteration = !isReached && (state.phase === 'judging_answer' || state.phase === 'judging_iteration');
  const asksGoal = !isReached && (state.phase !== 'judging_iteration' || rules.goal === 'iteration');
  try {
    const goal =
      asksGoal &&
      prepared.goal !== undefined &&
      yesOrNo('The goal', await prepared.goal.isReached(view as unknown as GoalView));
    // A verdict may forbid the result with which a round is about to end the run.
    const asksVerdicts = isReached || endsIteration || goal || reachesGoal(state, rules);
    const verdicts = asksVerdicts ? await verdictsOf(judging, view) : undefined;
    const said = endsIteration ? hookJudgement(await askHook(hooks, 'afterIteration', place)) : {};
    return { ...said, ...(goal && { goal }), ...verdicts };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

async function judgePrompt({ prepared, state, facts }: Judging): Promise<Judgement> {
  const messages = itemsOf(state.messages);
  const last = messages.findLast(({ role }) => role === 'user');
  const prompt = last === undefined ? '' : textOf(last);
  const view = withMessages(hookView({ prompt }, facts), () => snapshotOf(state.messages));
  const verdict = await askHook(prepared.options.hooks, 'onPrompt', view);
  const { transformed } = verdict;
  return { ...hookJudgement(verdict), ...(transformed !== undefined && { prompt: transformed.value as string }) };
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Asks the hook before an iteration, and for the prompt of the iteration where each has its own. */
async function judgeOpening(judging: Judging): Promise<Judgement> {
  const { prepared, input, state } = judging;
  const { hooks, promptFor } = prepared.options;
  const said = hookJudgement(await askHook(hooks, 'beforeIteration', iterationView(judging, {})));
  if (promptFor === undefined || said.directive !== undefined) return said;
  const { counts, text } = state;
  const all = snapshotOf(state.toolCalls);
  const toolCalls = Object.freeze(all.slice(all.findLastIndex(({ iteration }) => iteration < counts.iterations) + 1));
  try {
    const view = Object.freeze({ iteration: counts.iterations + 1, input, text, toolCalls });
    return { ...said, prompt: checkPrompt(await promptFor(view)) };
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

function checkPrompt(prompt: unknown): string {
  if (typeof prompt === 'string') return prompt;
  throw new FullstopError('INVALID_OPTION', `promptFor returned ${found(prompt)}; it must return a text.`);
}

function hookJudgement({ directive, injected }: HookVerdict): Judgement {
  return { ...(directive !== undefined && { directive }), ...(injected !== undefined && { injected }) };
}

function viewOf(state: AgentState): LoopView {
  const { usage, ...counted } = observeTotals(state, phases[state.phase].point);
  const observation: LoopObservation = { ...counted, usage: Object.freeze({ ...usage }) };
  if (state.phase !== 'judging_call') return view(state, observation, () => snapshotOf(state.messages));
  // The round is not finished, but those of its calls that have results count, and are seen, already.
  const content = resultParts(state.round);
  const toolCalls = observation.toolCalls + content.length;
  return view(state, { ...observation, toolCalls }, () =>
    Object.freeze([...snapshotOf(state.messages), frozenCopy<ModelMessage>({ role: 'tool', content })]),
  );
}

function view({ text }: AgentState, observation: LoopObservation, read: () => readonly ModelMessage[]): LoopView {
  return withMessages({ ...observation, answer: text }, read as unknown as () => LoopView['messages']);
}

type Verdicts = Pick<Judgement, 'verdicts' | 'forbidding'>;

/** Asks the custom conditions. Which of their verdicts forbid or hold the result is journalled with them: replay knows no definitions. */
async function verdictsOf({ prepared, rules, state }: Judging, view: LoopView): Promise<Verdicts | undefined> {
  const verdicts: [string, Ending][] = [];
  for (const { name, evaluateAsync } of conditionsOf(rules, state).list) {
    const verdict = await evaluateAsync?.(view);
    if (verdict !== undefined) verdicts.push([name, copyJson(verdict as Ending)]);
  }
  if (verdicts.length === 0) return undefined;
  const registry = createRegistry(prepared.options.terminations ?? []);
  const forbidding = verdicts.filter(([, verdict]) => forbids(verdict, registry)).map(([name]) => name);
  return { verdicts: Object.fromEntries(verdicts), ...(forbidding.length > 0 && { forbidding }) };
}

/** True for a verdict after which an operator or a person has to act. One of an unknown kind ends the run as failed anyway. */
function forbids(verdict: Ending, registry: TerminationRegistry): boolean {
  const category = registry.find(verdict.kind)?.category(verdict);
  return category === 'fatal' || category === 'paused';
}
