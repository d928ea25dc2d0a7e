import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { UsageError } from '../../command-line/usage-error.js';

export interface Listening {
  readonly port: number;
  /** Ends what is open, and frees the port. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  answer(request: Request): Response | Promise<Response>;
}

/** Listens until it is closed. */
export async function listen({ address, port, answer }: ListenOptions): Promise<Listening> {
  const listener = getRequestListener(answer, { overrideGlobalObjects: false });
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000 }, (incoming, outgoing) => {
    void listener(incoming, outgoing);
  });
  await bound(server, address, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bound(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, address, port)));
    server.listen({ host: address, port }, () => resolve());
  });
}

function explained(error: NodeJS.ErrnoException, address: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new UsageError(`The port ${port} is in use. Name another, or leave out --port for one that is free.`);
    case 'EACCES':
      return new UsageError(`The port ${port} may not be used by this user. Name one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`${JSON.stringify(address)} is not an address of this machine.`);
    default:
      return error;
  }
}
