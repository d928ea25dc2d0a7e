import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { type VerifiedNotice, verifyNotice } from 'fullstop/notices';

const root = resolve(import.meta.dirname, '../..');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export type Role = 'serve' | 'work';

/** An entry of a journal as it comes over the wire. */
export interface SentEntry {
  readonly seq: number;
  readonly type: string;
  readonly segment: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A call that reached the systems behind the tools. */
export interface OutsideCall {
  readonly runId: string;
  readonly idempotencyKey: string;
  /** Drawn for each. */
  readonly id: string;
}

/** An ending that the receiver of webhooks got. */
interface ReceivedNotice extends VerifiedNotice {
  readonly idempotencyKey: string;
}

/** A process of the example, and what it printed. */
export interface ExampleProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** Settles with what it printed and how it ended. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null; readonly output: string }>;
}

let built: Promise<string> | undefined;

/** The example as plain JavaScript: processes that are killed all the time must start fast. */
async function buildExample(): Promise<string> {
  const outfile = join(root, '.cache', 'back-end', 'back-end.js');
  mkdirSync(join(root, '.cache', 'back-end'), { recursive: true });
  await build({
    entryPoints: [join(root, 'examples/back-end/back-end.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}

/** The example with a store and a receiver of webhooks of its own. */
export class BackEnd {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fullstop-back-end-'));
  readonly store: string = join(this.folder, 'runs.db');
  /** The notices that reached the receiver, oldest first. */
  readonly notices: ReceivedNotice[] = [];
  readonly #alive = new Set<ChildProcess>();
  readonly #receiver = createServer(async (request, response) => {
    const notice = await verifyNotice(request.headers, await text(request), secret);
    this.notices.push({ ...notice, idempotencyKey: String(request.headers['idempotency-key']) });
    // The first is refused although it arrived, so that it has to come again.
    response.writeHead(this.notices.length === 1 ? 503 : 204).end();
  });

  async start(role: Role, { port = 0, finishMs = 0 } = {}): Promise<ExampleProcess> {
    built ??= buildExample();
    const program = await built;
    const child = spawn(process.execPath, [program, role], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'] ?? '',
        STORE: this.store,
        PORT: String(port),
        FINISH_MS: String(finishMs),
        WEBHOOK_URL: await this.#webhookUrl(),
        WEBHOOK_SECRET: secret,
      },
    });
    this.#alive.add(child);
    let output = '';
    const exit = new Promise<Awaited<ExampleProcess['exit']>>((done) => {
      child.on('close', (code, signal) => {
        this.#alive.delete(child);
        done({ code, signal, output });
      });
    });
    const actual = await new Promise<number | undefined>((done) => {
      const note = (chunk: Buffer): void => {
        output += String(chunk);
        const found = /^(?:serve|work) on (\d+)$/m.exec(output)?.[1];
        if (found !== undefined) done(Number(found));
      };
      child.stdout?.on('data', note);
      child.stderr?.on('data', note);
      void exit.then(() => done(undefined));
    });
    if (actual !== undefined) return { child, port: actual, exit };
    // While a server is down, anyone may get its port for a moment.
    if (!output.includes('EADDRINUSE')) throw new Error(`${role} did not start:\n${output}`);
    await pause(50);
    return this.start(role, { port, finishMs });
  }

  async #webhookUrl(): Promise<string> {
    if (!this.#receiver.listening) await new Promise<void>((done) => this.#receiver.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/endings`;
  }

  /** The calls of tools so far, oldest first. */
  calls(): readonly OutsideCall[] {
    const file = `${this.store}.calls`;
    // The last line may be half written.
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line) as OutsideCall);
  }

  async close(): Promise<void> {
    for (const child of this.#alive) child.kill('SIGKILL');
    await new Promise((done) => this.#receiver.close(done));
    rmSync(this.folder, { recursive: true });
  }
}

/** Follows a run by server-sent events, and comes back with the last id whenever the connection is lost, until it is told not to. */
export async function followToEnd(
  url: string,
  { onEntry, onRest }: { onEntry(entry: SentEntry): void; onRest(): Promise<void> },
): Promise<void> {
  for (let last = 0; ; ) {
    const headers = { 'last-event-id': String(last) };
    const response = await fetch(url, { headers }).catch(() => undefined);
    if (response?.status === 204) return;
    if (response?.status === 200) {
      for await (const entry of readEvents(response)) {
        last = entry.seq;
        onEntry(entry);
      }
      await onRest();
    }
    await response?.body?.cancel().catch(() => undefined);
    await pause(20);
  }
}

/** The events of one connection, each once it is whole; ends where the connection does, however that was. */
async function* readEvents(response: Response): AsyncGenerator<SentEntry> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield readEvent(block);
    }
  } catch {
    // The server died.
  }
}

function readEvent(block: string): SentEntry {
  const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const entry = JSON.parse(fields.get('data') ?? '') as SentEntry;
  if (fields.get('id') !== String(entry.seq) || fields.get('event') !== entry.type)
    throw new Error(`An event does not fit its entry: ${block}`);
  return entry;
}

/** Asks until a server answers: the one that was asked first may have died. */
export async function insist(url: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init).catch(() => undefined);
    if (response !== undefined && response.status < 500) return response;
    await response?.body?.cancel();
    await pause(20);
  }
}
