import type { ProcessGroup, ProcessGroups } from '../program/process-groups.js';

/** The parts of the MCP SDK that read and write messages on lines. */
export interface LineProtocol {
  readonly ReadBuffer: new () => { append(chunk: Uint8Array): void; readMessage(): unknown };
  serializeMessage(message: unknown): string;
}

interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How long a server may take to end by itself once its input has ended. */
const leaveMs = 1_000;

/** The SDK's transport to a server on standard input and output, in a process group that ends as a whole. */
export class StdioTransport {
  onmessage?: (message: unknown) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #protocol: LineProtocol;
  readonly #server: ServerCommand;
  readonly #programs: ProcessGroups;
  #group: ProcessGroup | undefined;

  constructor(protocol: LineProtocol, server: ServerCommand, programs: ProcessGroups) {
    this.#protocol = protocol;
    this.#server = server;
    this.#programs = programs;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server;
    const group = this.#programs.start(command, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#group = group;
    const { child } = group;
    const buffer = new this.#protocol.ReadBuffer();
    const report = (error: Error): void => this.onerror?.(error);
    child.stdin?.on('error', report);
    child.stdout?.on('error', report);
    child.stdout?.on('data', (chunk) => {
      buffer.append(chunk);
      this.#deliver(buffer);
    });
    child.once('close', () => this.onclose?.());
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', resolve);
    });
    child.on('error', report);
  }

  #deliver(buffer: { readMessage(): unknown }): void {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: servers print such things.
        this.onerror?.(error as Error);
      }
    }
  }

  async send(message: unknown): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (stdin?.writable !== true) throw new Error('Not connected');
    const written = stdin.write(this.#protocol.serializeMessage(message));
    if (!written) await new Promise<void>((resolve) => stdin.once('drain', resolve));
  }

  async close(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    const { child } = group;
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leaveMs);
        child.once('exit', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    await group.end();
  }
}
