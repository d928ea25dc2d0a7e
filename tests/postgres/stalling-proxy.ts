import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be made to stall, as a network does that drops everything without a word. */
export interface StallingProxy {
  readonly url: string;
  stall(): void;
  /** Stalls as soon as this has been sent to the server. */
  stallAfter(words: string): Promise<void>;
  /** Lets through what was held back, and everything after it. */
  flow(): void;
  /** Ends every connection that there is. */
  cut(): void;
  /** Settles when the server has said this. */
  said(words: string): Promise<void>;
  /** Leads new connections to another server; those that there are stay where they are. */
  leadTo(target: string): void;
  close(): Promise<void>;
}

interface Awaited {
  readonly words: string;
  reached(): void;
}

export async function stallingProxy(target: string): Promise<StallingProxy> {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isStalled = false;
  let awaited: Awaited | undefined;
  let listening: Awaited | undefined;
  const stall = (): void => {
    isStalled = true;
    for (const socket of sockets) socket.pause();
  };
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: Number(port), host: hostname, noDelay: true });
    near.on('data', (chunk: Buffer) => {
      if (awaited === undefined || !chunk.includes(awaited.words)) return;
      far.write(chunk.subarray(0, 0), () => stall());
      awaited.reached();
      awaited = undefined;
    });
    far.on('data', (chunk: Buffer) => {
      if (listening === undefined || !chunk.includes(listening.words)) return;
      listening.reached();
      listening = undefined;
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      if (isStalled) socket.pause();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as { readonly port: number }).port);
  const cut = (): void => {
    for (const socket of [...sockets]) socket.destroy();
  };
  return {
    url: url.href,
    stall,
    stallAfter: (words) =>
      new Promise((reached) => {
        awaited = { words, reached };
      }),
    flow: () => {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    cut,
    said: (words) =>
      new Promise((reached) => {
        listening = { words, reached };
      }),
    leadTo: (next) => {
      ({ hostname, port } = new URL(next));
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
