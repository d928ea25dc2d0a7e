import type { Attack } from './attack.js';
import { bitFlips } from './bit-flips/bit-flips.js';
import { frozenOwners } from './frozen-owners.js';
import { hostileFiles } from './hostile-files.js';
import { mutatedImports } from './imports/mutated-imports.js';
import { junkCalls } from './junk/junk-calls.js';
import { signals } from './signals.js';

/** Every attack, one row each. */
export const attacks: readonly Attack[] = [bitFlips, frozenOwners, hostileFiles, junkCalls, mutatedImports, signals];
