import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a fake, on this machine. */
export interface LocalServer {
  readonly url: string;
  close(): Promise<void>;
}

interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

/** Listens on a free port; whoever answers has the whole body of each request. */
export async function serveLocally(answer: (received: ReceivedRequest) => void): Promise<LocalServer> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => answer({ request, body, response }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request) body += String(part);
  return body;
}

/** Answers with JSON. */
export function writeJson(
  response: ServerResponse,
  value: object,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: object } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}
