import { listMcpTools, type McpClientLike, type McpToolLike, toMcpTool } from '../../../agent/tools/mcp-tools.js';
import type { ToolLike } from '../../../agent/tools/tool.js';
import type { AbortSignalLike } from '../../../engines/port/engine.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../../termination/errors/to-error-data.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { McpServer } from '../../schema/record-types.js';
import type { ProcessGroups } from '../program/process-groups.js';
import { type LineProtocol, StdioTransport } from './stdio-transport.js';

/** The name under which a tool of a server is offered. */
function mcpName(server: string, tool: string): string {
  return `${server}__${tool}`;
}

export function isMcpName(name: string): boolean {
  return name.indexOf('__') > 0;
}

type Servers = ReadonlyMap<string, McpServer>;

/** The MCP servers that a run has started. */
export interface McpServers {
  /** The tools of all servers, which are started when they are first asked for. */
  tools(servers: Servers, directory: string, signal: AbortSignalLike): Promise<ReadonlyMap<string, ToolLike>>;
  close(): Promise<void>;
}

/** The part of the SDK's client that we use. */
interface Client extends McpClientLike {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
}

interface McpOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programs: ProcessGroups;
  readonly startUpMs?: number | undefined;
}

const usualStartUpMs = 60_000;

/** Keeps the connections of one run. */
export function mcpServers({ env, programs, startUpMs = usualStartUpMs }: McpOptions): McpServers {
  const connections = new Map<string, Promise<Connection>>();
  const closing = new AbortController();
  const connected = (name: string, server: McpServer, directory: string): Promise<Connection> => {
    const key = `${name}\n${server.type === 'stdio' ? directory : ''}`;
    const known = connections.get(key);
    if (known !== undefined) return known;
    const connecting = connect(name, server, { directory, env, programs, startUpMs, closing: closing.signal });
    connections.set(key, connecting);
    // A server that did not start may start at the next attempt.
    connecting.catch(() => connections.delete(key));
    return connecting;
  };
  return {
    async tools(servers, directory, signal) {
      const all = Promise.all(
        [...servers].map(async ([name, server]) => toolsOf(name, server, await connected(name, server, directory))),
      );
      return new Map((await untilAborted(all, signal)).flat());
    },
    async close() {
      closing.abort(new Error('The run is over'));
      const open = await Promise.allSettled(connections.values());
      connections.clear();
      await Promise.allSettled(
        open.flatMap((each) => (each.status === 'fulfilled' ? [each.value.client.close()] : [])),
      );
    },
  };
}

/** The same, given up when the signal says so. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    stop = () => signal.removeEventListener('abort', abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}

interface Connection {
  readonly client: Client;
  readonly tools: readonly McpToolLike[];
}

interface Place {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programs: ProcessGroups;
  readonly startUpMs: number;
  readonly closing: AbortSignal;
}

/** Starts a server and asks for its tools, in the time that this may take. */
async function connect(name: string, server: McpServer, place: Place): Promise<Connection> {
  const late = new AbortController();
  const seconds = place.startUpMs / 1000;
  const timer = setTimeout(() => late.abort(new Error(`it did not start within ${seconds} s`)), place.startUpMs);
  let client: Client | undefined;
  try {
    const { Client: ClientClass } = await importSdk<{ Client: new (info: object) => Client }>('client/index.js');
    client = new ClientClass({ name: 'fullstop', version: '1' });
    const opened = openConnection(client, server, place);
    return await untilAborted(opened, AbortSignal.any([late.signal, place.closing]));
  } catch (error) {
    // Not waited for: whatever it leaves is ended with the programs of the run.
    client?.close().catch(() => undefined);
    throw connectionError(name, error);
  } finally {
    clearTimeout(timer);
  }
}

async function openConnection(client: Client, server: McpServer, place: Place): Promise<Connection> {
  await client.connect(await transportOf(server, place));
  return { client, tools: await listMcpTools(client) };
}

function connectionError(name: string, error: unknown): unknown {
  if (FullstopError.is(error)) return error;
  const message = `The MCP server '${name}' cannot be used: ${toErrorData(error).message}`;
  return new StepProblem('ExecutionError', message, { errorClass: 'external', code: 'MCP_FAILED', cause: error });
}

function sdkMissing(cause: unknown): FullstopError {
  const name = '@modelcontextprotocol/sdk';
  const message = `MCP servers need the package ${name}, which is not installed: npm install ${name}`;
  return new FullstopError('INVALID_OPTION', message, { cause });
}

async function transportOf(server: McpServer, { directory, env, programs }: Place): Promise<unknown> {
  const requestInit = { headers: Object.fromEntries(server.headers) };
  const url = (): URL => new URL(server.url ?? '');
  if (server.type === 'http') {
    const sdk = await importSdk<{ StreamableHTTPClientTransport: TransportClass }>('client/streamableHttp.js');
    return new sdk.StreamableHTTPClientTransport(url(), { requestInit });
  }
  if (server.type === 'sse') {
    const sdk = await importSdk<{ SSEClientTransport: TransportClass }>('client/sse.js');
    return new sdk.SSEClientTransport(url(), { requestInit });
  }
  const { command = '', args } = server;
  const started = { command, args, env: { ...env, ...Object.fromEntries(server.env) }, cwd: directory };
  if (process.platform !== 'win32')
    return new StdioTransport(await importSdk<LineProtocol>('shared/stdio.js'), started, programs);
  // There the SDK knows how to find programs such as npx, and groups of processes do not exist.
  const sdk = await importSdk<{ StdioClientTransport: TransportClass }>('client/stdio.js');
  return new sdk.StdioClientTransport({ ...started, stderr: 'ignore' });
}

type TransportClass = new (...options: unknown[]) => unknown;

// The name is a variable, so that bundlers leave the optional package alone.
async function importSdk<T>(path: string): Promise<T> {
  const name = `@modelcontextprotocol/sdk/${path}`;
  try {
    return (await import(name)) as T;
  } catch (error) {
    throw sdkMissing(error);
  }
}

function toolsOf(
  name: string,
  server: McpServer,
  { client, tools }: Connection,
): readonly (readonly [string, ToolLike])[] {
  const all = server.tools.includes('*');
  return tools
    .filter((tool) => all || server.tools.includes(tool.name))
    .map((tool) => [mcpName(name, tool.name), toMcpTool(client, tool, server.timeout)] as const);
}
