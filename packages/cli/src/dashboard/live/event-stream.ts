import type { Mask } from '../../terminal/terminal.js';
import { toFailure } from '../http/api-error.js';

/** One event of a stream. */
export interface LiveEvent {
  readonly event: string;
  /** Where a reader that connects again continues. */
  readonly id?: string | number;
  readonly data: unknown;
}

export interface StreamOptions {
  readonly mask: Mask;
  /** Aborted when nobody reads it any more. */
  readonly signals: readonly AbortSignal[];
  /** How long to wait between two looks. */
  readonly pollMs: number;
}

/** How often something is sent although nothing happened, so that both ends notice a connection that is gone. */
const beatMs = 15_000;

/**
 * Sends events until nobody reads them. Each look is made only when the one before was read: a slow reader makes nobody wait and
 * loses nothing, since it is asked for what came after its place.
 */
export function eventStream(
  look: () => Promise<readonly LiveEvent[] | 'end'>,
  { mask, signals, pollMs }: StreamOptions,
): Response {
  const signal = AbortSignal.any([...signals]);
  const encoder = new TextEncoder();
  let lastSent = Date.now();
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string): void => {
    lastSent = Date.now();
    controller.enqueue(encoder.encode(text));
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        while (!signal.aborted) {
          const found = await look().catch((error: unknown): readonly LiveEvent[] | 'end' => {
            // Said, and not only cut off: a reader would take silence for nothing new.
            send(controller, lineOf({ event: 'failure', data: toFailure(error).body }, mask));
            return 'end';
          });
          if (found === 'end') break;
          if (found.length > 0) return send(controller, found.map((each) => lineOf(each, mask)).join(''));
          if (Date.now() - lastSent > beatMs) return send(controller, ': still here\n\n');
          await pause(pollMs, signal);
        }
        controller.close();
      },
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}

function lineOf({ event, id, data }: LiveEvent, mask: Mask): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${place}data: ${mask(JSON.stringify(data))}\n\n`;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
