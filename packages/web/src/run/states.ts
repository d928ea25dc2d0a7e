import type { Transition } from '../../../cli/src/dashboard/view/transitions.js';
import type { Look } from '../api/contract.js';

/** Where a node was at some entry. */
export interface NodeState {
  /** `interrupted` where the run ended around it, and `unknown` where nobody knows whether it still runs. */
  readonly to: Transition['to'] | 'interrupted' | 'unknown';
  readonly kind?: string;
  readonly category?: NonNullable<Transition['category']>;
  readonly seq: number;
  readonly at: number;
  /** How often it had ended. */
  readonly count: number;
  /** How many of its members had ended since it began last. */
  readonly done: number;
  /** How it ended last, where it has begun again since. */
  readonly ended?: Pick<NodeState, 'category' | 'kind'>;
}

/** The states of all nodes at an entry, by a scan over the transitions up to it; the run itself has the empty id. */
export function statesAt(
  transitions: readonly Transition[],
  { at, isOwnerLost = false }: { readonly at: number; readonly isOwnerLost?: boolean },
): ReadonlyMap<string, NodeState> {
  const states = new Map<string, NodeState>();
  for (const transition of transitions) {
    if (transition.seq > at) break;
    states.set(transition.path, stateAfter(transition, states.get(transition.path)));
    const group = isEnd(transition) ? states.get(groupOf(transition.path)) : undefined;
    if (group !== undefined) states.set(groupOf(transition.path), { ...group, done: group.done + 1 });
  }
  return settled(states, isOwnerLost);
}

function isEnd({ to }: Transition): boolean {
  return to === 'ended' || to === 'skipped';
}

function stateAfter(transition: Transition, before: NodeState | undefined): NodeState {
  const { seq, at, to, kind, category } = transition;
  const count = (before?.count ?? 0) + (isEnd(transition) ? 1 : 0);
  const state: Changing<NodeState> = { to, seq, at, count, done: to === 'running' ? 0 : (before?.done ?? 0) };
  // Set one by one: this is done for every entry of a run, and spreading takes ten times as long.
  const ended = endOf(before);
  if (ended !== undefined) state.ended = ended;
  if (kind !== undefined) state.kind = kind;
  if (category !== undefined) state.category = category;
  return state;
}

type Changing<TState> = { -readonly [TName in keyof TState]: TState[TName] };

function endOf(before: NodeState | undefined): NodeState['ended'] {
  if (before?.to !== 'ended') return before?.ended;
  const ended: Changing<NonNullable<NodeState['ended']>> = {};
  if (before.kind !== undefined) ended.kind = before.kind;
  if (before.category !== undefined) ended.category = before.category;
  return ended;
}

/** `fan.a` and `each[3]` are members of `fan` and `each`. */
function groupOf(path: string): string {
  const [, group] = /^(.*?)(?:\[\d+\]|\.[^./]*)$/s.exec(path) ?? [];
  return group ?? '\0';
}

/** Nothing runs in a run that has ended, and what nobody executes is not drawn as if somebody did. */
function settled(states: Map<string, NodeState>, isOwnerLost: boolean): ReadonlyMap<string, NodeState> {
  const root = states.get('');
  const isOver = root?.to === 'ended';
  if (!isOver && !isOwnerLost) return states;
  const isPaused = root?.category === 'paused';
  for (const [path, state] of states) {
    if (state.to === 'waiting' && isPaused) continue;
    if (state.to !== 'running' && state.to !== 'retrying' && state.to !== 'waiting') continue;
    // A model or tool that was only expected to be asked next is done with what it did.
    const isExpected = isOver && state.ended !== undefined && isDrawn(path);
    const to = isOver ? 'interrupted' : 'unknown';
    states.set(path, isExpected ? { ...state, ...state.ended, to: 'ended' } : { ...state, to });
  }
  return states;
}

/** Nodes beside those of units have names that begin so. */
function isDrawn(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith('@');
}

type Tone = Look['tone'];

const tones: Readonly<Record<NonNullable<Transition['category']>, Tone>> = {
  success: 'success',
  paused: 'waiting',
  cancelled: 'cancelled',
  capacity: 'stopped',
  retryable: 'failed',
  fatal: 'failed',
};

/** The colour of a state; undefined where nothing has happened yet. */
export function toneOf(state: NodeState | undefined): Tone | undefined {
  if (state === undefined) return undefined;
  switch (state.to) {
    case 'running':
    case 'retrying':
      return 'running';
    case 'waiting':
      return 'waiting';
    case 'skipped':
      return 'cancelled';
    case 'interrupted':
    case 'unknown':
      return 'unknown';
    case 'ended':
      return state.category === undefined ? 'unknown' : tones[state.category];
    default:
      return state.to satisfies never;
  }
}

/** The state in a word or two. */
export function wordOf(state: NodeState | undefined): string {
  if (state === undefined) return 'not reached';
  switch (state.to) {
    case 'interrupted':
      return 'stopped with the run';
    case 'unknown':
      return 'owner gone';
    case 'ended':
      return state.kind ?? (state.category === 'fatal' ? 'failed' : 'done');
    default:
      return state.to;
  }
}

export function toneOfCategory(category: Transition['category']): Tone {
  return category === undefined ? 'unknown' : tones[category];
}
