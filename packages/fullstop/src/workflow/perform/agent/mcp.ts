import { listMcpTools, type McpClientLike, type McpToolLike, toMcpTool } from '../../../agent/tools/mcp-tools.js';
import type { ToolLike } from '../../../agent/tools/tool.js';
import type { AbortSignalLike } from '../../../engines/port/engine.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../../termination/errors/to-error-data.js';
import { StepProblem } from '../../machine/step-problem.js';
import type { McpServer } from '../../schema/record-types.js';

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

/** Keeps the connections of one run. */
export function mcpServers(env: Readonly<Record<string, string | undefined>>): McpServers {
  const connections = new Map<string, Promise<Connection>>();
  const connected = (name: string, server: McpServer, directory: string): Promise<Connection> => {
    const key = `${name}\n${server.type === 'stdio' ? directory : ''}`;
    const known = connections.get(key) ?? connect(name, server, { directory, env });
    connections.set(key, known);
    return known;
  };
  return {
    async tools(servers, directory) {
      const all = await Promise.all(
        [...servers].map(async ([name, server]) => toolsOf(name, server, await connected(name, server, directory))),
      );
      return new Map(all.flat());
    },
    async close() {
      const open = await Promise.allSettled(connections.values());
      connections.clear();
      await Promise.allSettled(
        open.flatMap((each) => (each.status === 'fulfilled' ? [each.value.client.close()] : [])),
      );
    },
  };
}

interface Connection {
  readonly client: Client;
  readonly tools: readonly McpToolLike[];
}

interface Place {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function connect(name: string, server: McpServer, place: Place): Promise<Connection> {
  try {
    const { Client: ClientClass } = await importSdk<{ Client: new (info: object) => Client }>('client/index.js');
    const client = new ClientClass({ name: 'fullstop', version: '1' });
    await client.connect(await transportOf(server, place));
    return { client, tools: await listMcpTools(client) };
  } catch (error) {
    throw connectionError(name, error);
  }
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

async function transportOf(server: McpServer, { directory, env }: Place): Promise<unknown> {
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
  const sdk = await importSdk<{ StdioClientTransport: TransportClass }>('client/stdio.js');
  return new sdk.StdioClientTransport({
    command: server.command ?? '',
    args: [...server.args],
    env: { ...env, ...Object.fromEntries(server.env) },
    cwd: directory,
    stderr: 'ignore',
  });
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
