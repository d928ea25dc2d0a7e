import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
/** A copy of the example may stand for it, where other versions of its packages are installed, and another Node. */
export const chatFolder: string = process.env['CHAT_EXAMPLE'] ?? join(root, 'examples/chat');
const node = process.env['CHAT_NODE'] ?? process.execPath;

/** The server of examples/chat, as a process of its own that can be killed and started again on the same file and port. */
export interface ChatServer {
  readonly origin: string;
  /** Nobody gets to say goodbye. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Ends the process and removes its file. */
  remove(): Promise<void>;
}

/** Starts the server without a model of its own, or with the one that the environment names. */
export async function startChatServer(model: Readonly<Record<string, string>> = {}): Promise<ChatServer> {
  const place = await mkdtemp(join(tmpdir(), 'fullstop-chat-'));
  const file = join(place, 'chat.db');
  const noKeys = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' };
  const start = (port: string) => startProcess({ ...process.env, ...noKeys, ...model, CHAT_FILE: file, PORT: port });
  let running = await start('0');
  const { origin } = running;
  const kill = async (): Promise<void> => {
    if (running.process.exitCode !== null || running.process.signalCode !== null) return;
    running.process.kill('SIGKILL');
    await once(running.process, 'exit');
  };
  return {
    origin,
    kill,
    restart: async () => {
      running = await start(new URL(origin).port);
    },
    remove: async () => {
      await kill();
      await rm(place, { recursive: true });
    },
  };
}

interface Started {
  readonly process: ChildProcess;
  readonly origin: string;
}

/** Ready when it has printed its address. */
async function startProcess(env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(node, ['--import', 'tsx', join(chatFolder, 'server.ts')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('http://')) return { process: child, origin: line };
  }
  throw new Error('The server of examples/chat ended before it was ready.');
}
