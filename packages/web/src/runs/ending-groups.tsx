import type { ReactNode } from 'react';
import { counted } from '../../../cli/src/journal/number-text.js';
import { useActions } from '../actions/action-host.js';
import type { EndingGroup, ResumeBody, SuggestedAction } from '../api/contract.js';
import { Link } from '../app/link.js';
import { useSession } from '../app/session.js';
import { Button } from '../design/button.js';
import { EndingPill } from '../design/ending-pill.js';
import { toneOf } from './category-look.js';
import { filterAddress, type RunFilters } from './run-filters.js';

interface EndingGroupsProperties {
  readonly groups: readonly EndingGroup[];
  readonly filters: RunFilters;
}

/** Runs that ended in the same way for the same reason, with what can be done about all of them at once. */
export function EndingGroups({ groups, filters }: EndingGroupsProperties): ReactNode {
  return (
    <section className="panel" aria-labelledby="causes">
      <h2 id="causes" className="panel-head">
        By cause
      </h2>
      {groups.length === 0 && <p className="list-end faint">No run has ended</p>}
      <ul>
        {groups.map((group) => (
          <li key={group.key} className="group">
            <strong className="group-count numeric">{group.count}</strong>
            <EndingPill look={{ tone: toneOf(group.category), word: group.kind, icon: '' }} />
            <div className="group-story">
              <Link className="group-cause" to={filterAddress('/', { ...filters, kind: group.kind })}>
                {group.sentence}
              </Link>
              {group.rootCause !== group.sentence && (
                <p className="run-sentence" title={group.rootCause}>
                  {group.rootCause}
                </p>
              )}
            </div>
            <span className="group-actions">
              {inOrder(group.actions).map((action) => (
                <GroupButton key={action.type} group={group} action={action} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const words = { resume: 'Resume all…', retry: 'Run all again…', cancel: 'Cancel all…' } as const;
const titles = {
  resume: (runs: string): string => `Resume ${runs}`,
  retry: (runs: string): string => `Run ${runs} again`,
  cancel: (runs: string): string => `Cancel ${runs}`,
} as const;

/** The same order in every row, so that nobody cancels where others resume. */
function inOrder(actions: readonly SuggestedAction[]): readonly SuggestedAction[] {
  const order = Object.keys(words);
  return actions.toSorted((left, right) => order.indexOf(left.type) - order.indexOf(right.type));
}

function GroupButton({ group, action }: { readonly group: EndingGroup; readonly action: SuggestedAction }): ReactNode {
  const { open } = useActions();
  const { readOnly } = useSession();
  const { type } = action;
  if (type !== 'resume' && type !== 'retry' && type !== 'cancel') return null;
  const title = titles[type](counted(group.count, 'run'));
  return (
    <Button
      small
      disabled={readOnly}
      aria-label={`${words[type]} ${group.rootCause}`}
      onClick={() =>
        open({
          type: 'bulk',
          action: type,
          title: `${title}: ${group.rootCause}`,
          runIds: group.runIds,
          count: group.count,
          changes: action.values as ResumeBody,
        })
      }
    >
      {words[type]}
    </Button>
  );
}
