import type { ReactNode } from 'react';
import type { GraphNode } from '../../../cli/src/dashboard/view/run-graph.js';
import type { UnitView } from '../../../cli/src/dashboard/view/unit-view.js';
import { shortCount } from '../../../cli/src/journal/value-text.js';
import { Button } from '../design/button.js';
import { Icon } from '../design/icon.js';
import { EndingCard } from './ending-card.js';
import { SpawnedRuns } from './spawned-runs.js';
import { type NodeState, wordOf } from './states.js';
import { shownText } from './text/shown-text.js';

interface CardProperties {
  readonly node: GraphNode | undefined;
  readonly units: readonly UnitView[];
  readonly state: NodeState | undefined;
  readonly onClose: () => void;
  readonly onMoment: (seq: number) => void;
  readonly onConversation: (path: string) => void;
  readonly onEnter: ((id: string) => void) | undefined;
}

/** Everything about one node: its visits, and how each ended. */
export function UnitCard({
  node,
  units,
  state,
  onClose,
  onMoment,
  onConversation,
  onEnter,
}: CardProperties): ReactNode {
  const title = node?.label ?? units[0]?.name ?? 'The run';
  return (
    <aside className="unit-card panel" aria-label={`About ${title}`}>
      <header className="unit-card-head">
        <div>
          <h2>{shownText(title)}</h2>
          <p className="faint">
            {shownText(node?.type ?? units[0]?.body ?? '')} · {shownText(wordOf(state))}
          </p>
        </div>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {node?.terminate !== undefined && (
        <p dir="auto">
          <span className="pill-label">Reason:</span> {shownText(node.terminate.reason)}
        </p>
      )}
      {onEnter !== undefined && node !== undefined && (
        <Button small onClick={() => onEnter(node.id)}>
          Draw its inside alone
        </Button>
      )}
      {units.length === 0 && (
        <p className="soft">
          {state === undefined
            ? 'The run has not come here.'
            : 'It has no ending of its own: it is a step of the unit around it.'}
        </p>
      )}
      {node?.output !== undefined && <p className="mono wrap-anywhere">{shownText(node.output)}</p>}
      {state !== undefined && units.length === 0 && (
        <Button small onClick={() => onMoment(state.seq)}>
          To this moment
        </Button>
      )}
      {units.map((unit, index) => (
        <Visit
          key={unit.path}
          unit={unit}
          title={units.length === 1 ? undefined : `Visit ${index + 1}`}
          onMoment={onMoment}
          onConversation={onConversation}
        />
      ))}
    </aside>
  );
}

function Visit({
  unit,
  title,
  onMoment,
  onConversation,
}: {
  readonly unit: UnitView;
  readonly title: string | undefined;
  readonly onMoment: (seq: number) => void;
  readonly onConversation: (path: string) => void;
}): ReactNode {
  const { ending, also, path, duration, tokens, cost, attempts, endSeq, seq, output, body, spawned } = unit;
  const facts = [
    ...(duration === undefined ? [] : [duration]),
    ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ...(cost === '' ? [] : [cost === '?' ? 'cost unknown' : cost]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ];
  return (
    <section className="visit">
      {title !== undefined && <h3>{title}</h3>}
      {ending === undefined ? <p className="soft">It has not ended.</p> : <EndingCard ending={ending} also={also} />}
      {facts.length > 0 && <p className="soft numeric">{facts.join(' · ')}</p>}
      {output !== undefined && (
        <p className="mono wrap-anywhere visit-output" dir="auto">
          {shownText(output)}
        </p>
      )}
      <p className="visit-actions">
        <Button small onClick={() => onMoment(endSeq ?? seq)}>
          To this moment
        </Button>
        {body === 'agent' && (
          <Button small onClick={() => onConversation(path)}>
            Conversation
          </Button>
        )}
      </p>
      <SpawnedRuns runs={spawned} />
    </section>
  );
}
