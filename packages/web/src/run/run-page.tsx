import { type ReactNode, useCallback, useMemo } from 'react';
import type { RunTab } from '../../../cli/src/dashboard/view/run-view.js';
import { useActions } from '../actions/action-host.js';
import { Link } from '../app/link.js';
import { navigate } from '../app/location.js';
import { runAddress } from '../app/route.js';
import { useSession } from '../app/session.js';
import { Failure, Notice } from '../design/notice.js';
import { RunGraphView } from './graph/run-graph.js';
import { ReplayBar } from './replay-bar.js';
import { useRunPlace } from './run-address.js';
import { RunBanner } from './run-banner.js';
import type { RunBody, RunHeadView } from './run-data.js';
import { RunHead, RunTitle } from './run-head.js';
import { statesAt } from './states.js';
import { TabContent } from './tabs/tab-content.js';
import { UnitCard } from './unit-card.js';
import { useRun } from './use-run.js';

interface RunPageProperties {
  readonly runId: string;
  readonly tab: string | undefined;
  /** The entry that is shown; the latest unless given. */
  readonly at: number | undefined;
}

/** One run: what became of it, why, and everything on the way. */
export function RunPage({ runId, tab, at }: RunPageProperties): ReactNode {
  const { body, head, failure, refresh } = useRun(runId);
  if (body === undefined)
    return (
      <div className="run-page">
        {head !== undefined && <EarlyHead head={head} />}
        {failure === undefined ? (
          <p className="soft">{head === undefined ? 'Reading the run…' : 'Reading and verifying its journal…'}</p>
        ) : (
          <Failure failure={failure} retry={refresh} />
        )}
      </div>
    );
  return (
    <div className="run-page">
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {/* Another run is another page: nothing of what was open or moved stays. */}
      <LoadedRun key={runId} body={body} tab={tab} at={at} />
    </div>
  );
}

/** The words of the list, in the place where those of the page will be. */
function EarlyHead({ head: { row, banner } }: { readonly head: RunHeadView }): ReactNode {
  return (
    <>
      <RunTitle row={row} />
      <RunBanner banner={banner} because={[]} onStep={undefined} />
    </>
  );
}

function LoadedRun({
  body,
  tab,
  at,
}: {
  readonly body: RunBody;
  readonly tab: string | undefined;
  readonly at: number | undefined;
}): ReactNode {
  const { row, banner, explanation, graph, units, head, transitions, tabs } = body;
  const [place, go] = useRunPlace();
  const search = place.query.size === 0 ? '' : `?${place.query}`;
  const shownAt = Math.min(at ?? head.seq, head.seq);
  const isOwnerLost = at === undefined && banner.tone === 'unknown';
  const states = useMemo(
    () => statesAt(transitions, { at: shownAt, isOwnerLost }),
    [transitions, shownAt, isOwnerLost],
  );
  const move = useCallback((to: number | undefined) => go({ at: to }, { replace: true }), [go]);
  const select = useCallback((id: string) => go({ unit: id === '' ? '.' : id }, { replace: true }), [go]);
  const enter = useCallback((id: string) => go({ in: id }), [go]);
  const { readOnly } = useSession();
  const { open } = useActions();
  const fork = (seq: number): void => open({ type: 'fork', subject: row, at: seq });
  const current: RunTab = tabs.find((each) => each === tab) ?? 'why';
  const toTab = (next: RunTab, query = ''): void => navigate(`${runAddress(row.runId, next)}${query || search}`);
  return (
    <>
      <RunHead body={body} />
      <RunBanner banner={banner} because={explanation.because} onStep={select} />
      {body.withoutFile === true && (
        <Notice tone="unknown">Its files can no longer be read, so only what happened is drawn.</Notice>
      )}
      {graph.nodes.length > 0 && (
        <section className="run-picture panel" aria-label="Graph">
          <ReplayBar
            at={at}
            head={head}
            timeAt={(seq) => timeOf(body, seq)}
            onMove={move}
            onFork={readOnly ? undefined : fork}
          />
          <div className="run-picture-inside">
            <RunGraphView
              graph={graph}
              units={units}
              states={states}
              at={shownAt}
              selected={place.unit}
              inside={place.inside}
              onSelect={select}
              onEnter={enter}
            />
            <SelectedCard body={body} states={states} unit={place.unit} go={go} onEnter={enter} toTab={toTab} />
          </div>
        </section>
      )}
      <nav className="tabs" aria-label="About this run">
        {tabs.map((each) => (
          <Link
            key={each}
            to={`${runAddress(row.runId, each)}${search}`}
            className="tab"
            aria-current={each === current ? 'page' : undefined}
          >
            {tabNames[each]}
          </Link>
        ))}
      </nav>
      <TabContent tab={current} body={body} at={at} onMoment={(seq) => move(seq)} onUnit={select} />
    </>
  );
}

const tabNames: Readonly<Record<RunTab, string>> = {
  why: 'Why',
  timeline: 'Timeline',
  conversation: 'Conversation',
  facts: 'Facts',
  journal: 'Journal',
  'what-if': 'What if',
};

interface SelectedProperties {
  readonly body: RunBody;
  readonly states: ReturnType<typeof statesAt>;
  readonly unit: string | undefined;
  readonly go: ReturnType<typeof useRunPlace>[1];
  readonly onEnter: (id: string) => void;
  readonly toTab: (tab: RunTab, query?: string) => void;
}

function SelectedCard({ body, states, unit, go, onEnter, toTab }: SelectedProperties): ReactNode {
  if (unit === undefined) return null;
  const id = unit === '.' ? '' : unit;
  const node = body.graph.nodes.find((each) => each.id === id);
  const isContainer = body.graph.nodes.some(({ parent }) => parent === id);
  return (
    <UnitCard
      node={node}
      units={body.units.filter((each) => each.node === id || each.path === id)}
      state={states.get(id)}
      onClose={() => go({ unit: undefined }, { replace: true })}
      onMoment={(seq) => go({ at: seq })}
      onConversation={(path) => toTab('conversation', `?of=${encodeURIComponent(path)}`)}
      onEnter={isContainer && id !== '' ? onEnter : undefined}
    />
  );
}

/** The time of an entry, as near as the transitions know it. */
function timeOf({ transitions, head, row }: RunBody, seq: number): number {
  if (seq >= head.seq) return head.at;
  return transitions.findLast((each) => each.seq <= seq)?.at ?? row.startedAt;
}
