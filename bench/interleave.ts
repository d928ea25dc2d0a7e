/** One thing to time, done `count` times per round. */
export interface Contender {
  readonly name: string;
  run(count: number): void;
}

/** The time of a contender, and its ratio to the first one. */
export interface Timing {
  readonly name: string;
  readonly microseconds: number;
  readonly ratio: number;
}

export interface Rounds {
  readonly rounds: number;
  readonly count: number;
}

/**
 * Times contenders in turns, so that a slow phase of the machine hits all of them alike.
 * The ratio is the median of the ratios of the rounds, not the ratio of medians.
 */
export function interleave(
  contenders: readonly [Contender, ...Contender[]],
  { rounds, count }: Rounds,
): readonly Timing[] {
  for (const contender of contenders) contender.run(count);
  const times = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const start = performance.now();
      contender.run(count);
      times[index]?.push(((performance.now() - start) * 1000) / count);
    }
  }
  const base = times[0] ?? [];
  return contenders.map(({ name }, index) => ({
    name,
    microseconds: median(times[index] ?? []),
    ratio: median((times[index] ?? []).map((time, round) => time / (base[round] ?? Number.NaN))),
  }));
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
