import type { EvaluationPoint } from '../../stop/observation.js';

/** Where the loop is. */
export type Phase =
  | 'prompting'
  | 'opening'
  | 'compacting'
  | 'model'
  | 'tools'
  | 'judging_call'
  | 'judging_tools'
  | 'judging_answer'
  | 'judging_iteration';

interface PhaseRow {
  /** The effect that the loop asks for while it is in the phase. */
  readonly effect: 'judgement' | 'compaction' | 'model_call' | 'tool_calls';
  /** The evaluation point at which the user's code is asked there. */
  readonly point: EvaluationPoint;
  readonly next: readonly Phase[];
}

/**
 * The loop of an agent, phase by phase. A phase in brackets is passed through unless someone has to be asked there.
 *
 *   [prompting] → [opening] → [compacting] → model ─┬─ calls ──→ tools ⇄ [judging_call]
 *                     ↑             ↑               │              ↓
 *                     │             │               │       [judging_tools] → [judging_iteration] ─┐
 *                     │             └── another round of the same iteration ─┘                     │
 *                     │                             └─ no calls → [judging_answer] ────────────────┤
 *                     └──────────────────────────── the next iteration ────────────────────────────┘
 *
 * In every phase the loop can end instead: then the phase says where a resume continues.
 */
export const phases: Readonly<Record<Phase, PhaseRow>> = {
  /** The hook onPrompt may change or refuse what the run was asked. Once, before anything else. */
  prompting: { effect: 'judgement', point: 'before_call', next: ['opening'] },

  /** An iteration begins: the hook beforeIteration and promptFor have a say, and the conditions are weighed. */
  opening: { effect: 'judgement', point: 'before_call', next: ['compacting', 'model'] },

  /** The prompt is too long, or the model said that it is: the strategies make the conversation shorter. */
  compacting: { effect: 'compaction', point: 'before_call', next: ['model'] },

  /** The model is called. Its answer is weighed; a starved answer raises the cap, an overflow compacts and a paused turn is a round: then it is called again. */
  model: {
    effect: 'model_call',
    point: 'before_call',
    next: ['compacting', 'tools', 'judging_answer', 'judging_iteration', 'opening'],
  },

  /** The calls of the answer are approved, performed and received. The round is over when all of them have results. */
  tools: {
    effect: 'tool_calls',
    point: 'after_tools',
    next: ['judging_call', 'judging_tools', 'judging_answer', 'judging_iteration', 'compacting', 'model', 'opening'],
  },

  /** A goal that is checked after each call decides whether the rest of the round is performed or skipped. */
  judging_call: {
    effect: 'judgement',
    point: 'after_tools',
    next: ['tools', 'judging_tools', 'judging_iteration', 'compacting', 'model', 'opening'],
  },

  /** The goal is asked before the results of a round are weighed, so that no limit ends a run that reached it. */
  judging_tools: {
    effect: 'judgement',
    point: 'after_tools',
    next: ['judging_iteration', 'compacting', 'model', 'opening'],
  },

  /**
   * Goal, custom conditions and the hook afterIteration have their say about an answer without calls, before it is weighed. Custom
   * conditions alone where a goal is reached with an answer after which the iteration would go on, or a hook has reached it.
   */
  judging_answer: { effect: 'judgement', point: 'after_response', next: ['tools', 'model', 'opening'] },

  /** The same about an iteration that had calls. Resumed after its last round it may have another one. */
  judging_iteration: { effect: 'judgement', point: 'after_iteration', next: ['compacting', 'model', 'opening'] },
};

/** Moves the loop to another phase. Nothing else writes the phase; a move that is not in the table is a defect. */
export function enterPhase(draft: { readonly phase: Phase }, phase: Phase): void {
  if (draft.phase === phase) return;
  if (!phases[draft.phase].next.includes(phase))
    throw new TypeError(`The loop may not move from ${draft.phase} to ${phase}.`);
  (draft as { phase: Phase }).phase = phase;
}
