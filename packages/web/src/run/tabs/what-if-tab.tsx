import { type ReactNode, useState } from 'react';
import type { WhatIfLimit, WhatIfPoint, WhatIfView } from '../../../../cli/src/dashboard/view/what-if-view.js';
import { useQuery } from '../../api/use-query.js';
import { Button } from '../../design/button.js';
import { Failure, Notice } from '../../design/notice.js';
import { runPath } from '../run-data.js';
import { shownText } from '../text/shown-text.js';
import type { TabProperties } from './tab-properties.js';
import { useFresh } from './use-fresh.js';
import { WhatIfAll } from './what-if-all.js';

/** Sliders for limits, and the ending that each would have led to: read from the record, nothing runs again. */
export function WhatIfTab({ body }: TabProperties): ReactNode {
  const query = useQuery<WhatIfView>(runPath(body.row.runId, '/what-if'));
  useFresh(query, body.head.seq);
  const { data, failure, refresh } = query;
  const [places, setPlaces] = useState<Readonly<Record<string, number>>>({});
  if (data === undefined)
    return (
      <div className="panel tab-panel">
        {failure === undefined ? <p className="soft">Reading…</p> : <Failure failure={failure} retry={refresh} />}
      </div>
    );
  const chosen = data.limits.flatMap((limit) => {
    const point = limit.points[places[limit.name] ?? -1];
    return point === undefined ? [] : [{ limit, point }];
  });
  return (
    <div className="panel tab-panel what-if">
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {data.limits.length === 0 && (
        <p className="soft">Nothing was observed in this run, so no limit can be tried on it.</p>
      )}
      <div className="what-if-limits">
        {data.limits.map((limit) => (
          <Slider
            key={limit.name}
            limit={limit}
            place={places[limit.name]}
            onMove={(place) => setPlaces(withPlace(places, limit.name, place))}
          />
        ))}
      </div>
      <Outcome chosen={chosen} was={body.explanation.headline} />
      {chosen.length > 0 && <WhatIfAll name={body.row.name} chosen={chosen} />}
    </div>
  );
}

function withPlace(
  places: Readonly<Record<string, number>>,
  name: string,
  place: number | undefined,
): Readonly<Record<string, number>> {
  const { [name]: _before, ...rest } = places;
  return place === undefined ? rest : { ...rest, [name]: place };
}

interface SliderProperties {
  readonly limit: WhatIfLimit;
  readonly place: number | undefined;
  readonly onMove: (place: number | undefined) => void;
}

function Slider({ limit, place, onMove }: SliderProperties): ReactNode {
  const { name, about, points } = limit;
  const point = place === undefined ? undefined : points[place];
  return (
    <div className="what-if-limit">
      <label className="field">
        <span className="field-label" title={about}>
          {name} <span className="numeric">{point?.text ?? 'as it was'}</span>
        </span>
        <input
          type="range"
          min={0}
          max={points.length - 1}
          value={place ?? points.length - 1}
          aria-valuetext={point?.text ?? 'as it was'}
          onChange={(event) => onMove(Number(event.target.value))}
        />
      </label>
      {place !== undefined && (
        <Button small look="quiet" aria-label={`Leave ${name} as it was`} onClick={() => onMove(undefined)}>
          as it was
        </Button>
      )}
    </div>
  );
}

export interface ChosenLimit {
  readonly limit: WhatIfLimit;
  readonly point: WhatIfPoint;
}

/** Of several limits the one that cuts first ends the run. */
function Outcome({ chosen, was }: { readonly chosen: readonly ChosenLimit[]; readonly was: string }): ReactNode {
  const cuts = chosen.filter(({ point }) => point.status === 'cut');
  const first = cuts.reduce<ChosenLimit | undefined>(
    (best, each) => (best === undefined || (each.point.index ?? 0) < (best.point.index ?? 0) ? each : best),
    undefined,
  );
  if (first === undefined) {
    const beyond = chosen.find(({ point }) => point.status === 'beyond');
    return (
      <div aria-live="polite">
        <Notice tone="unknown">
          {chosen.length === 0
            ? `As it was: ${shownText(was)}`
            : `It ${shownText((beyond ?? chosen[0])?.point.sentence ?? '')}.`}
        </Notice>
      </div>
    );
  }
  const { ending = '', sentence, loses = false } = first.point;
  return (
    <div aria-live="polite">
      <Notice tone={loses ? 'failed' : 'stopped'}>
        <strong>{shownText(ending)}</strong>
        <p>It {shownText(sentence)}.</p>
      </Notice>
    </div>
  );
}
