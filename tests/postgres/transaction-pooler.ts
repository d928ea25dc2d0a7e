import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A pooler that lends a connection of the server for one transaction, as pgbouncer does in that mode. */
export interface TransactionPooler {
  readonly url: string;
  /** How many transactions were on another connection than the one before them of the same client. */
  readonly switches: () => number;
  close(): Promise<void>;
}

const sslRequest = 80_877_103;
/** Everything else that a client says at its start belongs to a session, which it does not get. */
const knownParameters: ReadonlySet<string> = new Set(['user', 'database', 'client_encoding', 'application_name']);

export async function transactionPooler(target: string, size: number): Promise<TransactionPooler> {
  const lender = new Lender(target, size);
  const clients = new Set<Socket>();
  // Messages are passed on one by one: without this each waits until the one before it is acknowledged, which takes 40 ms.
  const server = createServer({ noDelay: true }, (socket) => {
    clients.add(socket);
    socket.on('error', () => undefined);
    const client = new Client(socket, lender);
    socket.on('data', (chunk: Buffer) => client.receive(chunk));
    socket.on('close', () => {
      clients.delete(socket);
      client.leave();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.port = String((server.address() as { readonly port: number }).port);
  return {
    url: url.href,
    switches: () => lender.switches,
    close: async () => {
      for (const socket of clients) socket.destroy();
      lender.close();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Cuts a stream into messages; the first one of a client has no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #hasType: boolean;

  constructor(hasType: boolean) {
    this.#hasType = hasType;
  }

  *of(chunk: Buffer): Generator<Buffer> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const start = this.#hasType ? 1 : 0;
      if (this.#rest.length < start + 4) return;
      const length = start + this.#rest.readInt32BE(start);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      yield message;
    }
  }

  typed(): void {
    this.#hasType = true;
  }
}

function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)));
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** A connection of the server, lent to one client at a time. */
interface Lent {
  readonly socket: Socket;
  client: Client | undefined;
}

/** The connections of the server. The one that was not used for the longest time is lent next, so that nobody gets the same twice. */
class Lender {
  readonly #target: URL;
  readonly #free: Lent[] = [];
  readonly #all = new Set<Lent>();
  readonly #waiting: ((lent: Lent) => void)[] = [];
  readonly #size: number;
  switches = 0;
  #isClosed = false;

  constructor(target: string, size: number) {
    this.#target = new URL(target);
    this.#size = size;
  }

  async borrow(): Promise<Lent> {
    if (this.#all.size < this.#size) this.#connect();
    const free = this.#free.shift();
    return free ?? new Promise((lent) => this.#waiting.push(lent));
  }

  #connect(): void {
    const socket = connect({ port: Number(this.#target.port), host: this.#target.hostname, noDelay: true });
    const lent: Lent = { socket, client: undefined };
    this.#all.add(lent);
    const messages = new Messages(true);
    let isReady = false;
    const words = ['user', this.#target.username, 'database', this.#target.pathname.slice(1), ''];
    const body = Buffer.from(words.map((word) => `${word}\0`).join(''));
    const head = Buffer.alloc(8);
    head.writeInt32BE(body.length + 8);
    head.writeInt32BE(196_608, 4);
    socket.write(Buffer.concat([head, body]));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#all.delete(lent);
      lent.client?.lost();
      const free = this.#free.indexOf(lent);
      if (free >= 0) this.#free.splice(free, 1);
      // Whoever waits would do so for ever if all of them broke.
      if (this.#waiting.length > 0 && !this.#isClosed) this.#connect();
    });
    socket.on('data', (chunk: Buffer) => {
      for (const each of messages.of(chunk)) {
        if (isReady) lent.client?.answer(each);
        else if (each[0] === 0x5a) {
          isReady = true;
          this.release(lent);
        }
      }
    });
  }

  release(lent: Lent): void {
    lent.client = undefined;
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(lent);
    else next(lent);
  }

  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#all) socket.destroy();
  }
}

/** A client, with the connection that it has for the transaction that it is in. */
class Client {
  readonly #socket: Socket;
  readonly #lender: Lender;
  readonly #messages = new Messages(false);
  readonly #unsent: Buffer[] = [];
  #hasStarted = false;
  #isBorrowing = false;
  #lent: Lent | undefined;
  #last: Lent | undefined;
  /** How often the server will say that it is ready before everything is answered. */
  #awaited = 0;

  constructor(socket: Socket, lender: Lender) {
    this.#socket = socket;
    this.#lender = lender;
  }

  receive(chunk: Buffer): void {
    for (const each of this.#messages.of(chunk)) {
      if (!this.#hasStarted) this.#start(each);
      else if (each[0] === 0x58) this.#socket.end();
      else this.#send(each);
    }
  }

  #start(first: Buffer): void {
    if (first.readInt32BE(4) === sslRequest) {
      this.#socket.write('N');
      return;
    }
    this.#hasStarted = true;
    this.#messages.typed();
    const words = first.subarray(8).toString().split('\0');
    const unknown = words.find((word, index) => index % 2 === 0 && word !== '' && !knownParameters.has(word));
    if (unknown !== undefined) {
      this.#socket.end(message('E', 'SFATAL', 'C08P01', `Munsupported startup parameter: ${unknown}`, Buffer.alloc(1)));
      return;
    }
    const facts = { server_version: '15.0', client_encoding: 'UTF8', standard_conforming_strings: 'on' };
    this.#socket.write(message('R', Buffer.alloc(4)));
    for (const [name, value] of Object.entries(facts)) this.#socket.write(message('S', name, value));
    this.#socket.write(message('Z', Buffer.from('I')));
  }

  #send(each: Buffer): void {
    if (each[0] === 0x51 || each[0] === 0x53) this.#awaited += 1;
    if (this.#lent !== undefined) this.#lent.socket.write(each);
    else {
      this.#unsent.push(each);
      if (!this.#isBorrowing) void this.#borrow();
    }
  }

  async #borrow(): Promise<void> {
    this.#isBorrowing = true;
    const lent = await this.#lender.borrow();
    this.#isBorrowing = false;
    if (this.#socket.destroyed) {
      this.#lender.release(lent);
      return;
    }
    if (this.#last !== undefined && this.#last !== lent) this.#lender.switches += 1;
    lent.client = this;
    this.#lent = lent;
    this.#last = lent;
    for (const each of this.#unsent.splice(0)) lent.socket.write(each);
  }

  answer(each: Buffer): void {
    this.#socket.write(each);
    if (each[0] !== 0x5a) return;
    this.#awaited -= 1;
    if (this.#awaited > 0 || each[5] !== 0x49 || this.#lent === undefined) return;
    const lent = this.#lent;
    this.#lent = undefined;
    this.#lender.release(lent);
  }

  lost(): void {
    this.#lent = undefined;
    this.#socket.destroy();
  }

  /** A transaction whose client is gone is over, and so is its connection. */
  leave(): void {
    this.#lent?.socket.destroy();
    this.#lent = undefined;
  }
}
