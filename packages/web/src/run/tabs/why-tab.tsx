import type { ReactNode } from 'react';
import { grouped } from '../../../../cli/src/journal/number-text.js';
import { shortCount, shortDuration, spentCost } from '../../../../cli/src/journal/value-text.js';
import type { ExplainedUnit } from '../../../../cli/src/why/explanation.js';
import type { JsonValue } from '../../../../fullstop/src/termination/json.js';
import { Countdown } from '../../design/time.js';
import { EndingCard } from '../ending-card.js';
import { SpawnedRuns } from '../spawned-runs.js';
import { toneOfCategory } from '../states.js';
import { CodedText } from '../text/coded-text.js';
import { JsonTree } from '../text/json-tree.js';
import { MarkdownText } from '../text/markdown-text.js';
import { shownText } from '../text/shown-text.js';
import type { TabProperties } from './tab-properties.js';

/** The causal chain of `fullstop why`; each cause leads to its moment. */
export function WhyTab(properties: TabProperties): ReactNode {
  const { body, onMoment } = properties;
  const { explanation, links, units } = body;
  const [root] = units;
  const culprit = links.at(-1);
  const spawned = units.flatMap((unit) => unit.spawned);
  return (
    <div className="why panel tab-panel">
      <section>
        <h2>Why</h2>
        <p className="why-headline" dir="auto">
          {shownText(explanation.headline)}
        </p>
        <ol className="causes">
          {links.slice(1).map(({ name, kind, seq, path }) => (
            <li key={path}>
              <button type="button" className="cause" onClick={() => onMoment(seq)}>
                {shownText(name)} ended as {kind}
              </button>
            </li>
          ))}
          {explanation.because.map((line) => (
            <li key={line}>
              {culprit === undefined ? (
                <span dir="auto">
                  <CodedText text={line} />
                </span>
              ) : (
                <button type="button" className="cause" dir="auto" onClick={() => onMoment(culprit.seq)}>
                  <CodedText text={line} />
                </button>
              )}
            </li>
          ))}
        </ol>
        <Counters counters={explanation.counters} />
      </section>
      {root?.ending !== undefined && <EndingCard ending={root.ending} also={explanation.also} />}
      <Waiting body={body} />
      {explanation.tree !== undefined && (
        <section>
          <h2>What each unit did</h2>
          <ul className="unit-tree">
            <TreeUnit unit={explanation.tree} {...properties} />
          </ul>
        </section>
      )}
      {spawned.length > 0 && (
        <section>
          <h2>Runs that it spawned</h2>
          <SpawnedRuns runs={spawned} />
        </section>
      )}
      {explanation.decided.length > 0 && (
        <section>
          <h2>What people decided</h2>
          <ul className="plain-list">
            {explanation.decided.map((line) => (
              <li key={line} dir="auto">
                {shownText(line)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {explanation.lastOutput !== undefined && (
        <section>
          <h2>Last output, from {shownText(explanation.lastOutput.from)}</h2>
          <Output value={explanation.lastOutput.value} />
        </section>
      )}
    </div>
  );
}

/** Longer texts are in the journal; a page that lays out millions of characters stands still. */
const longestText = 20_000;

/** A text as its writer meant it, as the conversation has it; any other value as a tree. */
function Output({ value }: { readonly value: JsonValue }): ReactNode {
  if (typeof value !== 'string') return <JsonTree value={value} />;
  const isCut = value.length > longestText;
  return (
    <>
      <MarkdownText text={isCut ? value.slice(0, longestText) : value} />
      {isCut && (
        <p className="faint">
          The first {grouped(longestText)} of {grouped(value.length)} characters; the journal has all of them.
        </p>
      )}
    </>
  );
}

function Counters({ counters }: { readonly counters: TabProperties['body']['explanation']['counters'] }): ReactNode {
  if (counters.length === 0) return null;
  return (
    <dl className="counters">
      {counters.map(({ name, used, limit }) => (
        <div key={name} className="counter">
          <dt>{name}</dt>
          <dd className="numeric">
            {used}
            {limit !== undefined && <span className="faint"> of {limit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Waiting({ body }: { readonly body: TabProperties['body'] }): ReactNode {
  const { waiting } = body.explanation;
  if (waiting.length === 0) return null;
  return (
    <section>
      <h2>It waits for</h2>
      <ul className="plain-list">
        {waiting.map(({ id, question, choices, deadline }) => (
          <li key={id}>
            <p dir="auto">{shownText(question)}</p>
            <p className="soft">
              <code>{shownText(id)}</code>
              {choices.length > 0 && <> · {choices.map(shownText).join(', ')}</>}
              {deadline !== undefined && (
                <>
                  {' '}
                  · <Countdown until={deadline} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TreeUnit({ unit, ...properties }: TabProperties & { readonly unit: ExplainedUnit }): ReactNode {
  const { body, onMoment, onUnit } = properties;
  const known = body.units.find(({ path }) => path === unit.path);
  const cost = spentCost(unit);
  const facts = [
    ...(unit.durationMs === undefined ? [] : [shortDuration(unit.durationMs)]),
    ...(unit.tokens > 0 ? [`${shortCount(unit.tokens)} tokens`] : []),
    ...(cost === '' ? [] : [cost === '?' ? 'cost unknown' : cost]),
  ];
  const open = (): void => {
    if (known !== undefined) onMoment(known.endSeq ?? known.seq);
    onUnit(known?.node ?? unit.path);
  };
  return (
    <li className={unit.isCause ? 'unit-cause' : ''}>
      <button type="button" className={`unit-line tone-${toneOfCategory(unit.category)}`} onClick={open}>
        <strong>{shownText(unit.name)}</strong>
        <span className="unit-kind">{unit.kind ?? 'not ended'}</span>
        {unit.isCause && <span className="tag">cause</span>}
        <span className="faint numeric">{facts.join(' · ')}</span>
      </button>
      {unit.children.length > 0 && (
        <ul>
          {unit.children.slice(0, mostChildren).map((child) => (
            <TreeUnit key={child.path} unit={child} {...properties} />
          ))}
          {unit.children.length > mostChildren && (
            <li className="faint">{unit.children.length - mostChildren} more are in the timeline</li>
          )}
        </ul>
      )}
    </li>
  );
}

const mostChildren = 200;
