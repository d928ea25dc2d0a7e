import type { KeyboardEvent } from 'react';

interface ComposerProps {
  readonly draft: string;
  readonly isAsked: boolean;
  readonly isBusy: boolean;
  readonly onDraft: (text: string) => void;
  readonly onSend: (text: string) => void;
  readonly onStop: () => Promise<void>;
}

/** Where the user types; while a turn is under way or waits, it can be stopped here. */
export function Composer({ draft, isAsked, isBusy, onDraft, onSend, onStop }: ComposerProps) {
  const canSend = !isBusy && !isAsked;
  const send = (): void => {
    if (canSend && draft.trim() !== '') onSend(draft);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        placeholder={isAsked ? 'Answer the question above, or stop' : 'Ask about an order'}
        rows={1}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKey}
      />
      {canSend ? (
        <button type="submit" className="primary" disabled={draft.trim() === ''}>
          Send
        </button>
      ) : (
        <button type="button" onClick={() => void onStop()}>
          Stop
        </button>
      )}
    </form>
  );
}
