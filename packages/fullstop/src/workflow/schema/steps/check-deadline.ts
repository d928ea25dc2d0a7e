import { durationSeconds } from '../duration-seconds.js';
import { type RuleSpot, refuse } from '../rule-spot.js';

/** The deadline of a step that asks a person. */
export function checkDeadline(spot: RuleSpot<{ readonly deadline?: string | number }>): void {
  const { deadline } = spot.value;
  if (deadline === undefined) return;
  const seconds = durationSeconds(deadline);
  if (seconds === undefined || !(seconds > 0))
    refuse(spot, 'deadline', 'deadline must be a duration of more than 0 seconds');
}
