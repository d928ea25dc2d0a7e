import { describe, expect, it } from 'vitest';
import { setTransport } from './client.js';
import { followStream, readEvent, type StreamEvent, type StreamState } from './event-stream.js';

describe('an event of a stream', () => {
  it('has a type, an id and data of several lines', () => {
    expect(readEvent('event: runs\nid: 7\ndata: {"a":\ndata: 1}')).toEqual({
      type: 'runs',
      id: '7',
      data: '{"a":\n1}',
    });
    expect(readEvent('data:x')).toEqual({ type: 'message', id: undefined, data: 'x' });
  });

  it('is none where there are only comments', () => {
    expect(readEvent(': still here')).toBeUndefined();
    expect(readEvent('')).toBeUndefined();
  });
});

/** Follows a stream whose connections are these, until a given number of events came. */
async function follow(connections: readonly (() => Response)[], count: number) {
  const [events, states, headers]: [StreamEvent[], StreamState['name'][], (string | null)[]] = [[], [], []];
  const abort = new AbortController();
  setTransport(async (_, init) => {
    headers.push(new Headers(init?.headers).get('last-event-id'));
    const connection = connections[headers.length - 1];
    if (connection === undefined) throw new TypeError('refused');
    return connection();
  });
  await followStream('/api/events', {
    signal: abort.signal,
    onState: ({ name }) => states.push(name),
    onEvent: (event) => {
      events.push(event);
      if (events.length === count) abort.abort();
    },
  });
  return { ids: events.map(({ id }) => id), states, headers };
}

function streamOf(...parts: readonly string[]): () => Response {
  return () => {
    const encoder = new TextEncoder();
    return new Response(
      new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(encoder.encode(part));
          controller.close();
        },
      }),
    );
  };
}

describe('a stream that is lost', () => {
  it('continues after the last event that came, wherever the texts were cut', async () => {
    const cut = streamOf('id: 1\ndata: a\n\nid: 2\nda', 'ta: b\n\nid: 3\ndata: never whole');
    const { ids, states, headers } = await follow([cut, streamOf('id: 3\ndata: c\n\n')], 3);
    expect(ids).toEqual(['1', '2', '3']);
    expect(headers).toEqual([null, '2']);
    expect(states).toEqual(['connecting', 'live', 'lost', 'live']);
  });

  it('says that it was refused, and is let in when it may', async () => {
    const refused = () =>
      new Response(JSON.stringify({ error: { code: 'TOKEN_NEEDED', message: 'no' } }), { status: 401 });
    const { ids, states } = await follow([refused, streamOf('id: 1\ndata: a\n\n')], 1);
    expect(ids).toEqual(['1']);
    expect(states).toEqual(['connecting', 'refused', 'live']);
  });
});
