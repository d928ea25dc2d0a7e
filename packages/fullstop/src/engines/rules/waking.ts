import type { InboxMessage, RunState } from '../port/engine.js';
import { hasPassed } from './expiry.js';

/** A message that no entry has consumed yet. */
export interface WaitingMessage {
  readonly type: InboxMessage['type'];
  readonly by?: string | undefined;
  /** True when the run's last owner had it already, and left it: it had its chance. */
  readonly known?: boolean;
}

export interface WakingFacts {
  readonly state: RunState;
  readonly wakeAt?: number | undefined;
  /** True when the latest segment has an ending. */
  readonly hasEnding: boolean;
  readonly now: number;
}

/** Why a parked run is ready again. */
export interface Waking {
  readonly because: 'answer' | 'cancel' | 'expiry';
  readonly by?: string | undefined;
  /** A run that was parked without an ending continues its segment; after a paused ending a new one is opened. */
  readonly opensSegment: boolean;
}

/** A parked run is ready again when a new message waits for it, or any wish to cancel, or when its time has come. */
export function findWaking(facts: WakingFacts, messages: readonly WaitingMessage[]): Waking | undefined {
  const { state, wakeAt, hasEnding: opensSegment, now } = facts;
  if (state !== 'parked') return undefined;
  const message = messages.find(({ type, known }) => type === 'cancel' || known !== true);
  if (message !== undefined) return { because: message.type, by: message.by, opensSegment };
  return hasPassed(wakeAt, now) ? { because: 'expiry', opensSegment } : undefined;
}

/** The state that readers see: a run that was parked without an ending is ready from its time on, whether or not anyone has woken it. */
export function shownState(facts: WakingFacts): RunState {
  const { state, wakeAt, hasEnding, now } = facts;
  return state === 'parked' && !hasEnding && hasPassed(wakeAt, now) ? 'ready' : state;
}

/** True when whoever waits for a parked run need wait no longer: it can be claimed, or has an ending. */
export function isReady({ state, wakeAt, hasEnding, now }: WakingFacts): boolean {
  return state !== 'parked' || hasEnding || hasPassed(wakeAt, now);
}
