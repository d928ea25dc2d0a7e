import { host } from '../../../engines/port/host.js';
import type { RunContext } from '../../../run/run-context.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';

/** Shorter calls share the commit of their answer; for longer ones a commit of its own is nothing. */
const shortCallMs = 20;

/**
 * Sees to it that an agent which is at work for longer is known to have begun: a resume has guidance for it, even if its process
 * was killed in its first call. Returns what ends that.
 */
export function keepBegun(context: RunContext): () => void {
  const timer = host.setTimeout(() => asUnitContext(context).commitMeanwhile(), shortCallMs);
  return () => host.clearTimeout(timer);
}
