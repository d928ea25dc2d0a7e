import { addUsd, subtractUsd } from './money.js';
import type { Charge } from './usage.js';

/** The sum of two charges. Its cost is known only if both are; it is an estimate as soon as one of them is. */
export function addCharges(one: Charge, other: Charge): Charge {
  const counters: Record<string, number> = { ...one.counters };
  for (const [name, count] of Object.entries(other.counters ?? {})) counters[name] = (counters[name] ?? 0) + count;
  const isPriced = one.costUsd !== undefined && other.costUsd !== undefined;
  return {
    inputTokens: (one.inputTokens ?? 0) + (other.inputTokens ?? 0),
    outputTokens: (one.outputTokens ?? 0) + (other.outputTokens ?? 0),
    ...(isPriced && { costUsd: addUsd(one.costUsd, other.costUsd) }),
    ...((one.estimated === true || other.estimated === true) && { estimated: true }),
    ...(Object.keys(counters).length > 0 && { counters }),
  };
}

/** A charge without the part of it that was booked before. */
export function lessCharge(total: Charge, booked: Charge): Charge {
  const { inputTokens = 0, outputTokens = 0, costUsd } = total;
  return {
    ...total,
    inputTokens: inputTokens - (booked.inputTokens ?? 0),
    outputTokens: outputTokens - (booked.outputTokens ?? 0),
    ...(costUsd !== undefined && { costUsd: Math.max(0, subtractUsd(costUsd, booked.costUsd ?? 0)) }),
  };
}
