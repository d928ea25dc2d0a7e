import type { Engine } from 'fullstop/engine';
import { UsageError } from '../command-line/usage-error.js';
import { listen } from '../dashboard/http/listen.js';
import type { WorkerFigures } from './worker-figures.js';

export interface HealthServer {
  /** Where it listens, such as http://127.0.0.1:9090. */
  readonly address: string;
  close(): Promise<void>;
}

export interface HealthParts {
  /** `PORT` or `HOST:PORT`. */
  readonly place: string;
  readonly engine: Pick<Engine, 'list'>;
  readonly figures: WorkerFigures;
  /** Fails while the queues that it takes runs from give out none; absent where it needs nothing but the store. */
  checkQueues?(): Promise<void>;
}

/** The longest time that a store or a queue may take to answer and still count as ready. */
const patienceMs = 2000;
const usualHost = '127.0.0.1';
const mostPort = 65_535;

/** Says whether a worker lives, whether it is ready for runs, and what it does. */
export async function serveHealth({ place, ...sources }: HealthParts): Promise<HealthServer> {
  const { host, port } = readPlace(place);
  const listening = await listen({
    address: host,
    port,
    answer: ({ method, url }) => {
      if (method !== 'GET' && method !== 'HEAD') return say(405, 'Only GET is allowed.\n');
      return answerTo(new URL(url).pathname, sources);
    },
  });
  return { address: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`, close: listening.close };
}

async function answerTo(pathname: string, sources: Omit<HealthParts, 'place'>): Promise<Response> {
  const { engine, figures } = sources;
  const storeAnswers = (): Promise<boolean> => answers(() => engine.list({ limit: 1 }));
  switch (pathname) {
    case '/healthz':
      return say(200, 'alive\n');
    case '/readyz':
      if (figures.isDraining) return say(503, 'draining: it finishes what it does and claims no more\n');
      if (!(await storeAnswers())) return say(503, 'the store does not answer\n');
      return (await answers(async () => sources.checkQueues?.()))
        ? say(200, 'ready\n')
        : say(503, 'the queues do not answer\n');
    case '/metrics':
      return say(200, figures.exposition(await storeAnswers()), 'text/plain; version=0.0.4; charset=utf-8');
    default:
      return say(404, 'There are /healthz, /readyz and /metrics.\n');
  }
}

function say(status: number, body: string, type = 'text/plain; charset=utf-8'): Response {
  const headers = { 'content-type': type, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return new Response(body, { status, headers });
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patienceMs);
  });
  const asked = ask().then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readPlace(place: string): { readonly host: string; readonly port: number } {
  const [, host = usualHost, digits = ''] = /^(?:\[?([^\]]+)\]?:)?(\d+)$/.exec(place) ?? [];
  const port = Number(digits);
  if (digits === '' || port > mostPort)
    throw new UsageError(
      `--health is ${JSON.stringify(place)}; it must be a port such as 9090, which only this machine can reach, or HOST:PORT such as 0.0.0.0:9090.`,
      { command: 'worker' },
    );
  return { host, port };
}
