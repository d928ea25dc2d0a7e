import { answers } from './answers.js';
import type { Behaviour } from './behaviour.js';
import { breaks } from './breaks.js';
import { calls } from './calls.js';
import { refusals } from './refusals.js';

/** The whole table. */
export const behaviours: readonly Behaviour[] = [...refusals, ...breaks, ...answers, ...calls];
