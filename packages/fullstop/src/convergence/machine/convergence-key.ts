/** The grammar of the keys in the journal of a convergence: `cycle 3`, `3:researcher`, `gate decision/a@3`. */

/** The key of the merge that ends a cycle. */
export function makeCycleKey(cycle: number): string {
  return `cycle ${cycle}`;
}

/** Reads the key of a cycle of a convergence. */
export function parseCycleKey(key: string): number | undefined {
  const [, cycle] = /^cycle (\d+)$/.exec(key) ?? [];
  return cycle === undefined ? undefined : Number(cycle);
}

/** The question to a suggestor in a cycle. */
export interface SuggestorKey {
  readonly cycle: number;
  readonly suggestor: string;
}

export function makeSuggestorKey({ cycle, suggestor }: SuggestorKey): string {
  return `${cycle}:${suggestor}`;
}

/** Reads the key of a suggestor in a cycle. */
export function parseSuggestorKey(key: string): SuggestorKey | undefined {
  const [, cycle, suggestor = ''] = /^(\d+):(.*)$/s.exec(key) ?? [];
  return cycle === undefined ? undefined : { cycle: Number(cycle), suggestor };
}

/** The key of the question at a gate. */
export function makeGateKey(requestId: string): string {
  return `gate ${requestId}`;
}

/** The parts of a gate id: `decision/a@3~1+2` is the second reopening of the first escalation in cycle 3. */
export interface GateId {
  /** The reference of the fact that is proposed. */
  readonly ref: string;
  readonly cycle: number;
  readonly level: number;
  readonly reopened: number;
}

export function makeGateId({ ref, cycle, level, reopened }: GateId): string {
  return `${ref}@${cycle}${level === 0 ? '' : `~${level}`}${reopened === 0 ? '' : `+${reopened}`}`;
}

export function parseGateId(gateId: string): GateId | undefined {
  const [, ref = '', cycle, level = 0, reopened = 0] = /^(.*)@(\d+)(?:~(\d+))?(?:\+(\d+))?$/s.exec(gateId) ?? [];
  if (cycle === undefined) return undefined;
  return { ref, cycle: Number(cycle), level: Number(level), reopened: Number(reopened) };
}
