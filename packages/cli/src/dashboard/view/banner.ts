import { type Envelope, rootCause } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';

/** The first thing that a reader of a run sees. */
export interface Banner {
  readonly tone: 'success' | 'failed' | 'stopped' | 'waiting' | 'running' | 'cancelled' | 'unknown';
  readonly title: string;
  readonly sentence: string;
  /** The step that ended the run on purpose, with its words. */
  readonly explicit?: { readonly by: string; readonly status: string; readonly reason: string };
}

export interface BannerSources {
  readonly headline: string;
  /** How many questions wait for an answer. */
  readonly waiting: number;
  readonly ending: Envelope | undefined;
  readonly summary: Pick<RunSummary, 'damage' | 'orphaned' | 'silentSince' | 'state'>;
}

/** Says what became of a run, in two words and a sentence; what is not known is said, never drawn as running. */
export function bannerOf({ headline: sentence, waiting, ending, summary }: BannerSources): Banner {
  if (summary.damage !== undefined) return { tone: 'unknown', title: 'Damaged', sentence };
  if (ending !== undefined) return endedBanner(ending, sentence);
  if (summary.orphaned === true) return { tone: 'unknown', title: 'Owner gone', sentence };
  if (summary.silentSince !== undefined) return { tone: 'unknown', title: 'No sign of life', sentence };
  if (waiting > 0) return { tone: 'waiting', title: 'Waiting for you', sentence };
  const titles = { ready: 'Ready', running: 'Running', parked: 'Sleeping', ended: 'Ended' } as const;
  return { tone: 'running', title: titles[summary.state], sentence };
}

function endedBanner(ending: Envelope, sentence: string): Banner {
  const { termination, category, outcome } = ending;
  if (termination.kind === 'terminated') {
    const { by, status, reason } = termination;
    const tone = status === 'failed' ? 'failed' : 'success';
    return { tone, title: 'Workflow Terminated', sentence, explicit: { by, status, reason } };
  }
  const kind = rootCause(termination).kind.replaceAll('_', ' ');
  switch (category) {
    case 'success':
      return { tone: 'success', title: outcome === 'skipped' ? 'Skipped' : 'Completed', sentence };
    case 'paused':
      return { tone: 'waiting', title: 'Waiting for you', sentence };
    case 'cancelled':
      return { tone: 'cancelled', title: 'Cancelled', sentence };
    case 'capacity':
      return { tone: 'stopped', title: `Stopped: ${kind}`, sentence };
    case 'retryable':
      return { tone: 'failed', title: 'Failed, worth another try', sentence };
    case 'fatal':
      return { tone: 'failed', title: 'Failed', sentence };
    default:
      return category satisfies never;
  }
}
