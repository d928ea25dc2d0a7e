import { entryOf } from '../../source/yaml-node.js';
import { type RuleSpot, refuse } from '../rule-spot.js';

/** The module and the export that a step names. */
export function checkUse(spot: RuleSpot<{ readonly use: string }>): void {
  if (/^[^#]+#[^#]+$/.test(spot.value.use)) return;
  const entry = entryOf(spot.node, 'use');
  refuse(
    spot,
    entry === undefined ? 'type' : 'use',
    "'use' must name a module and an export, such as ./month-end.mjs#monthEnd",
  );
}
