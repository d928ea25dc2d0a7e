import type { Clock } from '../port/clock.js';
import type { StartRequest } from '../port/engine.js';
import { receiveStart } from '../rules/start-receipt.js';
import { refuseTurn, turnRefused } from '../rules/turns.js';
import { MemoryRun, type Workers } from './memory-run.js';

/** The runs of one engine in memory, and the workers that wait for one of them. */
export class MemoryRuns implements Workers {
  readonly clock: Clock;
  readonly runs: Map<string, MemoryRun> = new Map();
  /** Called whenever a run becomes ready. */
  readonly readyListeners: Set<() => void> = new Set();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  onReady(): void {
    for (const listener of this.readyListeners) listener();
  }

  any(): boolean {
    return this.readyListeners.size > 0;
  }

  start(request: StartRequest): 'started' | 'exists' {
    const existing = this.runs.get(request.runId);
    const receipt = receiveStart(existing && { ...existing.identity, input: existing.input }, request);
    if (receipt === 'exists') return receipt;
    this.#checkTurn(request);
    this.runs.set(request.runId, new MemoryRun(request, this.clock, this));
    this.onReady();
    return 'started';
  }

  #checkTurn({ conversation }: StartRequest): void {
    if (conversation === undefined) return;
    const run = this.#latestTurn(conversation.id);
    const latest = run && {
      runId: run.identity.runId,
      turn: turnOf(run),
      state: run.state,
      hasEnding: run.ending !== undefined,
    };
    const afterSegment = conversation.after && this.runs.get(conversation.after.runId)?.segment;
    const refusal = refuseTurn(conversation, { latest, afterSegment });
    if (refusal !== undefined) throw turnRefused(conversation, refusal);
  }

  /** The latest turn of the conversation of a run, if that is another one. */
  laterTurn(runId: string): string | undefined {
    const id = this.runs.get(runId)?.identity.conversation?.id;
    const latest = id === undefined ? undefined : this.#latestTurn(id)?.identity.runId;
    return latest === runId ? undefined : latest;
  }

  #latestTurn(conversation: string): MemoryRun | undefined {
    let latest: MemoryRun | undefined;
    for (const run of this.runs.values())
      if (run.identity.conversation?.id === conversation && turnOf(run) > turnOf(latest)) latest = run;
    return latest;
  }
}

function turnOf(run: MemoryRun | undefined): number {
  return run?.identity.conversation?.turn ?? 0;
}
