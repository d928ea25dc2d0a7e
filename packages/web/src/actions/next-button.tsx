import type { ReactNode } from 'react';
import type { NextStep, RunRow, SuggestedAction } from '../api/contract.js';
import { useSession } from '../app/session.js';
import { Button } from '../design/button.js';
import { CopyButton } from '../design/copy-command.js';
import { useActions } from './action-host.js';

/** The words on the buttons; what only shows something needs none, since the row leads there. */
export const actionWords: Readonly<Record<SuggestedAction['type'], string | undefined>> = {
  answer: 'Answer…',
  resume: 'Resume…',
  retry: 'Run again…',
  cancel: 'Cancel…',
  watch: undefined,
  show: undefined,
};

/** The next action of a run as a button, with the command to copy beside it. */
export function NextButton({ row }: { readonly row: RunRow }): ReactNode {
  const { readOnly } = useSession();
  const { open } = useActions();
  const step = nextStepOf(row);
  if (step === undefined) return null;
  const { action, command, text } = step;
  const word = action === undefined ? undefined : actionWords[action.type];
  return (
    <>
      {word !== undefined && action !== undefined && (
        <Button
          small
          look={action.type === 'answer' ? 'primary' : 'plain'}
          title={readOnly ? 'This dashboard is read only.' : text}
          disabled={readOnly}
          onClick={() => open({ row, action })}
        >
          {word}
        </Button>
      )}
      {command !== undefined && <CopyButton text={command} />}
    </>
  );
}

/** The first thing that can be done, or else the first that can be typed. */
function nextStepOf({ next }: RunRow): NextStep | undefined {
  const doable = next.find(({ action }) => action !== undefined && actionWords[action.type] !== undefined);
  return doable ?? next.find(({ command }) => command !== undefined);
}
