import type { Category } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import { glyphOf } from '../../render/ending-look.js';
import type { Look } from '../api/run-row.js';

const tones: Readonly<Record<Category, Look['tone']>> = {
  success: 'success',
  paused: 'waiting',
  cancelled: 'cancelled',
  capacity: 'stopped',
  retryable: 'failed',
  fatal: 'failed',
};

/** How a run looks in a list and above its page. A run that cannot be trusted shows no ending, whatever is stored of one. */
export function lookOf({ damage, orphaned, kind, category, state }: RunSummary): Look {
  if (damage !== undefined) return { tone: 'unknown', word: 'damaged', icon: glyphOf('fatal') };
  if (orphaned === true) return { tone: 'unknown', word: 'orphaned', icon: glyphOf(undefined) };
  if (kind === undefined || category === undefined) return { tone: 'running', word: state, icon: glyphOf(undefined) };
  return { tone: tones[category], word: kind, icon: glyphOf(category) };
}
