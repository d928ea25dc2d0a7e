import type { ReactNode } from 'react';
import { relativeTime } from '../../../cli/src/journal/value-text.js';
import type { Look } from '../api/contract.js';
import type { StreamState } from '../api/event-stream.js';
import { Notice } from '../design/notice.js';
import { useNow } from '../design/time.js';
import { useConnection } from './live.js';

/** Whether what the page shows is current. */
export function Connection(): ReactNode {
  const state = useConnection();
  const now = useNow();
  const { tone, word, more } = connectionLook(state, now);
  return (
    <span className={`connection tone-${tone}`} role="status" title={more}>
      <span className="connection-dot" aria-hidden="true" />
      {word}
    </span>
  );
}

interface ConnectionLook {
  readonly tone: Look['tone'];
  readonly word: string;
  readonly more: string;
}

function connectionLook(state: StreamState, now: number): ConnectionLook {
  switch (state.name) {
    case 'connecting':
      return { tone: 'unknown', word: 'Connecting', more: 'Changes are not shown yet.' };
    case 'live':
      return { tone: 'success', word: 'Live', more: 'Changes are shown as they happen.' };
    case 'lost': {
      const since = relativeTime(state.since, Math.max(now, state.since));
      const word = `Reconnecting${since === 'now' ? '' : `, lost ${since}`}`;
      return { tone: 'stopped', word, more: 'What is shown may be old.' };
    }
    case 'refused':
      return { tone: 'failed', word: 'Not connected', more: state.message };
    default:
      return state satisfies never;
  }
}

/** Says above the page what a reader has to know while nothing is current. */
export function ConnectionNotice(): ReactNode {
  const state = useConnection();
  if (state.name === 'refused')
    return (
      <div className="connection-notice">
        <Notice tone="failed">
          {state.message} This page continues by itself as soon as you have opened it in this browser.
        </Notice>
      </div>
    );
  if (state.name !== 'lost') return null;
  return (
    <div className="connection-notice">
      <Notice tone="stopped">
        The dashboard does not answer; what is shown may be old. Runs continue without it. To start it again:{' '}
        <code>fullstop dashboard</code>
      </Notice>
    </div>
  );
}
