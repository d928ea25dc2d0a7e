import { ApiFailure, request } from './client.js';

/** One event of a stream of the server. */
export interface StreamEvent {
  readonly type: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Where a stream is: `refused` means that the server is there and does not let this page in. */
export type StreamState =
  | { readonly name: 'connecting' }
  | { readonly name: 'live' }
  | { readonly name: 'lost'; readonly since: number }
  | { readonly name: 'refused'; readonly message: string };

export interface StreamListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (state: StreamState) => void;
  /** Continue after this event. */
  readonly lastEventId?: string;
  readonly signal: AbortSignal;
}

const firstDelay = 500;
const longestDelay = 8000;
const refusedDelay = 3000;

/** Follows a stream until the signal: after a loss it continues after the last event that came, so none is lost and none comes twice. */
export async function followStream(path: string, listener: StreamListener): Promise<void> {
  const { signal, onState } = listener;
  let lastEventId = listener.lastEventId;
  let delay = firstDelay;
  let lostSince: number | undefined;
  onState({ name: 'connecting' });
  while (!signal.aborted) {
    const refusal = await followOnce(path, {
      signal,
      lastEventId,
      onOpen: () => {
        lostSince = undefined;
        delay = firstDelay;
        onState({ name: 'live' });
      },
      onEvent: (event) => {
        if (event.id !== undefined) lastEventId = event.id;
        listener.onEvent(event);
      },
    });
    if (signal.aborted) return;
    lostSince ??= Date.now();
    onState(refusal === undefined ? { name: 'lost', since: lostSince } : { name: 'refused', message: refusal.message });
    // Someone may open the new address of a server that was started again, and then this page is let in, too.
    await pause(refusal === undefined ? delay : refusedDelay, signal);
    delay = Math.min(delay * 2, longestDelay);
  }
}

interface Connection {
  readonly signal: AbortSignal;
  readonly lastEventId: string | undefined;
  readonly onOpen: () => void;
  readonly onEvent: (event: StreamEvent) => void;
}

/** One connection, from its opening to its end; returns a refusal that stands. */
async function followOnce(path: string, connection: Connection): Promise<ApiFailure | undefined> {
  const { signal, lastEventId, onOpen, onEvent } = connection;
  try {
    const response = await request(path, {
      signal,
      headers: { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    });
    onOpen();
    for await (const event of eventsOf(response)) if (!signal.aborted) onEvent(event);
  } catch (error) {
    if (isFinal(error)) return error;
  }
  return undefined;
}

/** A missing or foreign token is no trouble of the connection. */
function isFinal(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && error.status >= 400 && error.status < 500 && error.status !== 429;
}

async function* eventsOf(response: Response): AsyncGenerator<StreamEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Reads one block of a stream; comments alone are no event. */
export function readEvent(block: string): StreamEvent | undefined {
  let type = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') type = value;
    if (field === 'id') id = value;
    if (field === 'data') data.push(value);
  }
  return data.length === 0 && id === undefined ? undefined : { type, id, data: data.join('\n') };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
