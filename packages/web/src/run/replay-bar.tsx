import { type ReactNode, useEffect, useState } from 'react';
import { preciseTime } from '../../../cli/src/journal/value-text.js';
import { Button } from '../design/button.js';

interface ReplayProperties {
  /** The entry that is shown; undefined for the latest. */
  readonly at: number | undefined;
  readonly head: { readonly seq: number; readonly at: number };
  readonly timeAt: (seq: number) => number;
  readonly onMove: (at: number | undefined) => void;
  /** Absent where nothing may be changed. */
  readonly onFork: ((at: number) => void) | undefined;
}

const speeds = [1, 5, 20] as const;
const frameMs = 120;

/** Folds the run to any entry: the same scan that draws it live, stopped earlier. */
export function ReplayBar({ at, head, timeAt, onMove, onFork }: ReplayProperties): ReactNode {
  const [speed, setSpeed] = useState<number | undefined>();
  const shown = Math.min(at ?? head.seq, head.seq);
  useEffect(() => {
    if (speed === undefined) return;
    if (shown >= head.seq) {
      setSpeed(undefined);
      onMove(undefined);
      return;
    }
    const step = Math.max(1, Math.round((speed * head.seq) / 400));
    const timer = setTimeout(() => onMove(Math.min(shown + step, head.seq)), frameMs);
    return () => clearTimeout(timer);
  }, [speed, shown, head.seq, onMove]);
  const play = (): void => {
    if (speed === undefined && shown >= head.seq) onMove(1);
    setSpeed(speed === undefined ? 1 : undefined);
  };
  return (
    <section className="replay" aria-label="Replay">
      <Button small onClick={play} aria-pressed={speed !== undefined}>
        {speed === undefined ? 'Replay' : 'Pause'}
      </Button>
      {speed !== undefined && (
        <Button small look="quiet" onClick={() => setSpeed(speeds[(speeds.indexOf(speed as 1) + 1) % speeds.length])}>
          {speed}×
        </Button>
      )}
      <input
        type="range"
        className="replay-range"
        min={1}
        max={Math.max(head.seq, 1)}
        value={shown}
        aria-label="Entry of the journal"
        aria-valuetext={`entry ${shown} of ${head.seq}, ${preciseTime(timeAt(shown))}`}
        onChange={(event) => {
          const next = Number(event.target.value);
          onMove(next >= head.seq ? undefined : next);
        }}
      />
      <span className="numeric soft replay-words">
        {at === undefined ? `all ${head.seq} entries` : `entry ${shown} of ${head.seq} · ${preciseTime(timeAt(shown))}`}
      </span>
      {at !== undefined && onFork !== undefined && (
        <Button small onClick={() => onFork(shown)}>
          Fork from here…
        </Button>
      )}
      {at !== undefined && (
        <Button small look="quiet" onClick={() => onMove(undefined)}>
          To the end
        </Button>
      )}
    </section>
  );
}
