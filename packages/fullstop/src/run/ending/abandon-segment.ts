import type { Envelope } from '../../engines/port/envelope.js';
import { terminations } from '../../termination/terminations.js';
import { ActiveTime } from '../accounts/active-time.js';
import { Execution } from '../segment/execution.js';
import type { SegmentOptions } from '../segment/run-segment.js';
import { concludeRun } from './conclude.js';
import type { LastSeen } from './last-seen.js';
import { instantOf } from './pause.js';

/** Ends a segment whose owner is gone without executing anything of it. */
export function abandonSegment(options: SegmentOptions, { at, worker }: LastSeen): Promise<Envelope> {
  const { engine, session } = options;
  const { history } = session;
  const active = new ActiveTime(engine.clock, history);
  const execution = new Execution({ engine, session, settings: options.settingsFor(history), history, active });
  execution.close();
  const termination = terminations.abandoned({ lastSeenAt: instantOf(at), ...(worker !== undefined && { worker }) });
  return concludeRun(execution, { termination, also: [] }, options.outboxOf);
}
