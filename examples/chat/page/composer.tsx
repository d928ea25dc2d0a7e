import type { KeyboardEvent } from 'react';

interface ComposerProps {
  readonly draft: string;
  /** False while a turn is under way or waits for an answer. */
  readonly isFree: boolean;
  readonly onDraft: (text: string) => void;
  readonly onSend: (text: string) => void;
  /** Missing where there is nothing to stop. */
  readonly onStop?: () => Promise<void>;
}

/** Where the user types; while a turn is under way or waits, it can be stopped here. */
export function Composer({ draft, isFree, onDraft, onSend, onStop }: ComposerProps) {
  const canSend = isFree && draft.trim() !== '';
  const send = (): void => {
    if (canSend) onSend(draft);
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
        placeholder="Ask about an order"
        rows={1}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={onKey}
      />
      {onStop === undefined ? (
        <button type="submit" className="primary" disabled={!canSend}>
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
