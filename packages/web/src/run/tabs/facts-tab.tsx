import { type ReactNode, useState } from 'react';
import type { ConvergenceView, CycleView, FactRow, FactsView } from '../../../../cli/src/dashboard/view/facts.js';
import { checkSnapshot } from '../../../../fullstop/src/convergence/facts/snapshot.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../design/button.js';
import { Failure, Notice } from '../../design/notice.js';
import { runPath } from '../run-data.js';
import { JsonTree } from '../text/json-tree.js';
import { shownText } from '../text/shown-text.js';
import type { TabProperties } from './tab-properties.js';
import { useFresh } from './use-fresh.js';

/** The facts of a convergence: who proposed what, in which cycle, past which gate, and the proof of it. */
export function FactsTab({ body, at, onMoment }: TabProperties): ReactNode {
  const query = useQuery<FactsView>(runPath(body.row.runId, '/facts'));
  useFresh(query, body.head.seq);
  const { data, failure, refresh } = query;
  return (
    <div className="panel tab-panel">
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {data === undefined && failure === undefined && <p className="soft">Reading…</p>}
      {data?.convergences.map((each) => (
        <Convergence key={each.path} convergence={each} at={at} onMoment={onMoment} />
      ))}
    </div>
  );
}

interface ConvergenceProperties {
  readonly convergence: ConvergenceView;
  readonly at: number | undefined;
  readonly onMoment: (seq: number) => void;
}

const mostFacts = 500;

function Convergence({ convergence, at, onMoment }: ConvergenceProperties): ReactNode {
  const isShown = ({ seq }: { readonly seq: number }): boolean => at === undefined || seq <= at;
  const cycles = convergence.cycles.filter(isShown);
  const facts = convergence.facts.filter(isShown);
  const rejected = cycles.flatMap((cycle) => cycle.rejected.map((each) => ({ ...each, cycle: cycle.cycle })));
  return (
    <section>
      {convergence.path !== '' && <h2>{shownText(convergence.path)}</h2>}
      <Proof facts={facts} cycle={cycles.at(-1)} />
      <h2>Cycles</h2>
      <Cycles cycles={cycles} onMoment={onMoment} />
      <h2>Facts</h2>
      <ul className="plain-list">
        {facts.slice(-mostFacts).map((fact) => (
          <FactItem key={fact.ref} fact={fact} />
        ))}
        {facts.length > mostFacts && <li className="faint">{facts.length - mostFacts} earlier ones are not shown</li>}
      </ul>
      {convergence.gates.length > 0 && (
        <>
          <h2>Gates</h2>
          <ul className="plain-list">
            {convergence.gates.filter(isShown).map(({ gateId, summary, decision, by, reason, seq }) => (
              <li key={gateId}>
                <button type="button" className="link-button" onClick={() => onMoment(seq)}>
                  {shownText(gateId)}
                </button>{' '}
                <span className="tag">{decision ?? 'waits for an answer'}</span>
                {by !== undefined && <span className="soft"> by {shownText(by)}</span>}
                <p dir="auto">{shownText(reason ?? summary)}</p>
              </li>
            ))}
          </ul>
        </>
      )}
      {rejected.length > 0 && (
        <>
          <h2>Rejected proposals</h2>
          <ul className="plain-list">
            {rejected.map(({ ref, by, why, reason, payload, cycle }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rejections are only ever added.
              <li key={index}>
                <strong>{shownText(ref)}</strong> <span className="soft">by {shownText(by)}</span>{' '}
                <span className="tag">cycle {cycle}</span> <span className="tag">{shownText(why)}</span>
                <p dir="auto">{shownText(reason)}</p>
                {payload !== undefined && <JsonTree value={payload} open={1} />}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Cycles({
  cycles,
  onMoment,
}: {
  readonly cycles: readonly CycleView[];
  readonly onMoment: (seq: number) => void;
}): ReactNode {
  return (
    <div className="scrolled">
      <table className="cycles">
        <thead>
          <tr>
            <th>Cycle</th>
            <th>New facts</th>
            <th>Rejected</th>
            <th>Facts</th>
            <th>Woken next</th>
            <th>Broken</th>
          </tr>
        </thead>
        <tbody>
          {cycles.map(({ cycle, seq, promoted, rejected, facts, awake, violations }) => (
            <tr key={seq}>
              <td>
                <button type="button" className="link-button" onClick={() => onMoment(seq)}>
                  {cycle}
                </button>
              </td>
              <td>{promoted.map(shownText).join(', ') || '–'}</td>
              <td className="numeric">{rejected.length}</td>
              <td className="numeric">{facts}</td>
              <td>{awake.map(shownText).join(', ') || '–'}</td>
              <td>{violations.map(shownText).join('; ') || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FactItem({ fact }: { readonly fact: FactRow }): ReactNode {
  const { ref, by, cycle, confidence, payload, approval, because } = fact;
  return (
    <li>
      <strong>{shownText(ref)}</strong> <span className="soft">by {shownText(by)}</span>{' '}
      <span className="tag">cycle {cycle}</span>
      {confidence !== 1 && <span className="tag">confidence {confidence}</span>}
      {approval !== undefined && (
        <span className="tag">
          {approval.decision} {approval.by !== undefined && `by ${shownText(approval.by)}`}
        </span>
      )}
      {because !== undefined && <p className="soft">because of {because.map(shownText).join(', ')}</p>}
      {payload === undefined ? (
        <p className="soft">The journal does not have its content.</p>
      ) : (
        <JsonTree value={payload} open={1} />
      )}
    </li>
  );
}

type Verdict = { readonly ok: true; readonly root: string } | { readonly ok: false; readonly why: string };

/** Computes the root over the facts as they are shown, here in the page, and compares it with the one that the run recorded. */
function Proof({
  facts,
  cycle,
}: {
  readonly facts: readonly FactRow[];
  readonly cycle: CycleView | undefined;
}): ReactNode {
  const [proved, setProved] = useState<{ readonly of: string; readonly verdict: Verdict }>();
  if (cycle === undefined) return null;
  const verdict = proved?.of === cycle.root ? proved.verdict : undefined;
  return (
    <div className="proof">
      <p className="mono wrap-anywhere">root {cycle.root}</p>
      <Button small onClick={() => setProved({ of: cycle.root, verdict: prove(facts, cycle.root) })}>
        Check the proof
      </Button>
      {verdict?.ok === true && (
        <Notice tone="success">
          The {facts.length} facts above have exactly this root: none was changed, added or left out since cycle{' '}
          {cycle.cycle}.
        </Notice>
      )}
      {verdict?.ok === false && <Notice tone="failed">They do not prove it: {shownText(verdict.why)}</Notice>}
    </div>
  );
}

function prove(facts: readonly FactRow[], root: string): Verdict {
  const plain = facts.map(({ ref: _ref, seq: _seq, ...rest }) => rest);
  try {
    return { ok: true, root: checkSnapshot({ format: 'fullstop.convergence/1', facts: plain, root }).root };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) };
  }
}
