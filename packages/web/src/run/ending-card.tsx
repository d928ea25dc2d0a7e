import type { ReactNode } from 'react';
import type { EndingView } from '../../../cli/src/dashboard/view/unit-view.js';
import type { JsonValue } from '../../../fullstop/src/termination/json.js';
import { ToneIcon } from '../design/icon.js';
import { toneOfCategory } from './states.js';
import { JsonTree } from './text/json-tree.js';
import { shownText } from './text/shown-text.js';

/** An ending with everything that it says: the same card for a run, a stage, a step and a sub-agent. */
export function EndingCard({
  ending,
  also = [],
}: {
  readonly ending: EndingView;
  readonly also?: readonly string[];
}): ReactNode {
  const { kind, category, sentence, known, termination } = ending;
  const { kind: _kind, ...evidence } = termination as unknown as Readonly<Record<string, JsonValue>>;
  const tone = toneOfCategory(category);
  const reason = evidence['reason'];
  return (
    <section className={`ending-card tone-${tone}`} aria-label="Ending">
      <p className="pill-row">
        <span className="pill-label">Termination</span>
        <span className={`pill tone-${tone}`}>
          <ToneIcon tone={tone} />
          <span>{kind}</span>
        </span>
        {category !== undefined && <span className="tag">{category}</span>}
        {!known && <span className="tag">kind of its own program</span>}
      </p>
      <p className="ending-sentence" dir="auto">
        {shownText(sentence)}
      </p>
      {typeof reason === 'string' && (
        <p className="ending-reason" dir="auto">
          <span className="pill-label">Reason:</span> {shownText(reason)}
        </p>
      )}
      {Object.keys(evidence).length > 0 && (
        <details>
          <summary>Evidence</summary>
          <JsonTree value={evidence} open={2} />
        </details>
      )}
      {also.length > 0 && (
        <>
          <h3>It would also have ended because</h3>
          <ul className="also">
            {also.map((line) => (
              <li key={line}>{shownText(line)}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
