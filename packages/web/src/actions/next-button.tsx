import type { ReactNode } from 'react';
import type { NextStep, RunRow, SuggestedAction } from '../api/contract.js';
import { useSession } from '../app/session.js';
import { Button } from '../design/button.js';
import { CopyButton } from '../design/copy-command.js';
import { useActions } from './action-host.js';
import type { OpenedAction, Subject } from './opened-action.js';

/** The words on the buttons; what only shows something needs none, since the row leads there. */
const actionWords: Readonly<Record<SuggestedAction['type'], string | undefined>> = {
  answer: 'Answer…',
  resume: 'Resume…',
  retry: 'Run again…',
  cancel: 'Cancel…',
  watch: undefined,
  show: undefined,
};

interface NextButtonProperties {
  readonly row: RunRow;
  /** False where the command stands beside it anyway. */
  readonly withCommand?: boolean;
}

/** The next action of a run as a button, with the command to copy beside it. */
export function NextButton({ row, withCommand = true }: NextButtonProperties): ReactNode {
  const step = mostUseful(row.next);
  return step === undefined ? null : <StepButton step={step} subject={row} withCommand={withCommand} />;
}

interface StepButtonProperties {
  readonly step: NextStep;
  readonly subject: Subject;
  readonly withCommand: boolean;
}

function StepButton({ step, subject, withCommand }: StepButtonProperties): ReactNode {
  const { readOnly } = useSession();
  const { open } = useActions();
  const { action, command, text } = step;
  const opened = action === undefined ? undefined : openedAction(action, subject);
  return (
    <>
      {opened !== undefined && action !== undefined && (
        <Button
          small
          look={action.type === 'answer' ? 'primary' : 'plain'}
          title={readOnly ? 'This dashboard is read only.' : text}
          disabled={readOnly}
          aria-label={`${actionWords[action.type]} ${subject.name} ${subject.runId}`}
          onClick={() => open(opened)}
        >
          {actionWords[action.type]}
        </Button>
      )}
      {withCommand && command !== undefined && <CopyButton text={command} />}
    </>
  );
}

/** The dialog that a suggestion opens; none where it only shows something. */
function openedAction({ type, requestId, values, asks }: SuggestedAction, subject: Subject): OpenedAction | undefined {
  switch (type) {
    case 'answer':
      return { type, subject, requestId };
    case 'resume':
      return { type, subject, values, asks };
    case 'retry':
    case 'cancel':
      return { type, subject };
    case 'watch':
    case 'show':
      return undefined;
    default:
      return type satisfies never;
  }
}

/** The first thing that can be done, or else the first that can be typed. */
function mostUseful(next: readonly NextStep[]): NextStep | undefined {
  const doable = next.find(({ action }) => action !== undefined && actionWords[action.type] !== undefined);
  return doable ?? next.find(({ command }) => command !== undefined);
}
