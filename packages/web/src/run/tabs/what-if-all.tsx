import { type ReactNode, useState } from 'react';
import type { WhatIfResult } from '../../../../cli/src/dashboard/api/what-if.js';
import { totalsText } from '../../../../cli/src/what-if/totals-text.js';
import type { TrialTotals } from '../../../../cli/src/what-if/try-limits.js';
import { type ApiFailure, postJson } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Failure, Notice } from '../../design/notice.js';
import type { ChosenLimit } from './what-if-tab.js';

interface AllProperties {
  readonly name: string;
  readonly chosen: readonly ChosenLimit[];
}

type Tried = Pick<WhatIfResult, 'complete' | 'totals'>;

interface Answer {
  readonly of: string;
  readonly tried?: Tried;
  readonly failure?: ApiFailure;
}

/** The same limits over all runs of this name, which only the server can read. */
export function WhatIfAll({ name, chosen }: AllProperties): ReactNode {
  const [answer, setAnswer] = useState<Answer>();
  const limits = Object.fromEntries(chosen.map(({ limit, point }) => [limit.name, point.value]));
  const of = JSON.stringify([name, limits]);
  const ask = (): void => {
    postJson<Tried>('/api/what-if', { name, limits }).then(
      (tried) => setAnswer({ of, tried }),
      (failure: ApiFailure) => setAnswer({ of, failure }),
    );
  };
  const current = answer?.of === of ? answer : undefined;
  return (
    <div className="what-if-all">
      <Button onClick={ask}>Over all runs of {name}</Button>
      {current?.failure !== undefined && <Failure failure={current.failure} retry={ask} />}
      {current?.tried !== undefined && (
        <Notice tone="unknown">
          {totalsText(current.tried.totals as TrialTotals)}
          {!current.tried.complete && (
            <p className="soft">The newest {current.tried.totals.runs} were looked at; there are more.</p>
          )}
        </Notice>
      )}
    </div>
  );
}
