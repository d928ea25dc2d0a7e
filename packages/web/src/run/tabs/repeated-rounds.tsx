import type { ReactNode } from 'react';
import type { RepeatedCall, RepeatedCalls } from '../../../../cli/src/dashboard/view/repeated-calls.js';
import type { JsonValue } from '../../../../fullstop/src/termination/json.js';
import { diffLines } from '../text/diff-lines.js';
import { shownText } from '../text/shown-text.js';

interface RoundsProperties {
  readonly repeated: RepeatedCalls;
  readonly onMoment: (seq: number) => void;
}

/** The rounds that a detector found alike, side by side; what differs from the round before is marked. */
export function RepeatedRounds({ repeated, onMoment }: RoundsProperties): ReactNode {
  const { rounds } = repeated;
  return (
    <section aria-label="What repeated">
      <h2>What repeated</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <section className="rounds" tabIndex={0} aria-label="Rounds side by side">
        {rounds.map((round, index) => (
          <div key={round[0]?.seq ?? index} className="round">
            <h3>Round {index + 1}</h3>
            {round.map((call, place) => (
              <Call key={call.seq} call={call} before={rounds[index - 1]?.[place]} onMoment={onMoment} />
            ))}
          </div>
        ))}
      </section>
    </section>
  );
}

interface CallProperties {
  readonly call: RepeatedCall;
  readonly before: RepeatedCall | undefined;
  readonly onMoment: (seq: number) => void;
}

function Call({ call, before, onMoment }: CallProperties): ReactNode {
  return (
    <div className="round-call">
      <button type="button" className="link-button" onClick={() => onMoment(call.seq)}>
        {shownText(call.tool)} · entry {call.seq}
      </button>
      <Side title="input" now={call.input} before={before?.input} isFirst={before === undefined} />
      <Side title="result" now={call.output} before={before?.output} isFirst={before === undefined} />
    </div>
  );
}

interface SideProperties {
  readonly title: string;
  readonly now: JsonValue | undefined;
  readonly before: JsonValue | undefined;
  readonly isFirst: boolean;
}

function Side({ title, now, before, isFirst }: SideProperties): ReactNode {
  const lines = diffLines(isFirst ? linesOf(now) : linesOf(before), linesOf(now));
  const isSame = lines.every(({ change }) => change === 'same');
  return (
    <div>
      <p className="faint">
        {title}
        {!isFirst && (isSame ? ' · the same' : ' · different')}
      </p>
      <pre className="diff" dir="ltr">
        {lines.map(({ change, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text never change places.
          <span key={index} className={`diff-${change}`}>
            {change === 'added' ? '+ ' : ''}
            {change === 'removed' ? '- ' : ''}
            {shownText(text)}
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  );
}

const mostLines = 60;

function linesOf(value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return ['(nothing)'];
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const lines = text.slice(0, 20_000).split('\n');
  return lines.length > mostLines ? [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`] : lines;
}
