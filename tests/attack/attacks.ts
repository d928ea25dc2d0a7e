import type { Attack } from './attack.js';
import { bitFlips } from './bit-flips/bit-flips.js';

/** Every attack, one row each. */
export const attacks: readonly Attack[] = [bitFlips];
