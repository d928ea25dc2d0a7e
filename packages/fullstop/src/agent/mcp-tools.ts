import { isObject, type JsonValue } from '../termination/json.js';
import type { ToolCallOptions } from './tool.js';

/** The part of a client of the official MCP SDK that tools need; taken by its shape, so that nothing depends on the package. */
export interface McpClientLike {
  listTools(params?: { readonly cursor?: string }): Promise<{
    readonly tools: readonly McpToolLike[];
    readonly nextCursor?: string | undefined;
  }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { signal?: never },
  ): Promise<unknown>;
}

export interface McpToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly idempotentHint?: boolean | undefined }
    | undefined;
}

export interface McpToolsOptions {
  /** Put in front of every name, so that the tools of several servers do not collide. */
  readonly prefix?: string;
  /** The tools to take; all unless given. */
  readonly only?: readonly string[];
}

/** A tool of an MCP server. */
export interface McpTool {
  readonly description: string;
  readonly inputSchema: object;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  execute(input: JsonValue, options: ToolCallOptions): Promise<JsonValue>;
  toModelOutput(called: { readonly output: JsonValue }): object;
}

/**
 * The tools of an MCP server as tools of an agent. Errors that the server reports are told to the model, a cancelled call is
 * cancelled on the server, and what the server says about a tool (that it only reads, that repeats do no harm) is taken over.
 *
 * @example
 * const tools = await mcpTools(client, { prefix: 'files_' });
 */
export async function mcpTools(
  client: McpClientLike,
  { prefix = '', only }: McpToolsOptions = {},
): Promise<Readonly<Record<string, McpTool>>> {
  const listed = await allTools(client);
  const taken = only === undefined ? listed : listed.filter(({ name }) => only.includes(name));
  return Object.fromEntries(taken.map((tool) => [`${prefix}${tool.name}`, toTool(client, tool)]));
}

async function allTools(client: McpClientLike): Promise<readonly McpToolLike[]> {
  const tools: McpToolLike[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

function toTool(client: McpClientLike, { name, description = '', inputSchema, annotations }: McpToolLike): McpTool {
  const readOnly = annotations?.readOnlyHint === true;
  return {
    description,
    inputSchema,
    readOnly,
    idempotent: readOnly || annotations?.idempotentHint === true,
    async execute(input, { abortSignal }) {
      const args = isObject(input) ? { ...input } : {};
      // Our signals are the host's own; only their type is ours.
      const result = await client.callTool({ name, arguments: args }, undefined, { signal: abortSignal as never });
      const content = contentOf(result);
      if (isObject(result) && result['isError'] === true) throw new Error(textOf(content));
      const structured = isObject(result) ? result['structuredContent'] : undefined;
      return structured === undefined ? (content as JsonValue) : (structured as JsonValue);
    },
    toModelOutput: ({ output }) => toOutput(output),
  };
}

function contentOf(result: unknown): readonly unknown[] {
  const content = isObject(result) ? result['content'] : undefined;
  return Array.isArray(content) ? content : [];
}

function textOf(content: readonly unknown[]): string {
  const texts = content.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  return texts.join('\n') || 'The server reported an error without saying which.';
}

/** Only text is text; a structured result is JSON; pictures and files go along as what they are. */
function toOutput(output: JsonValue): object {
  if (!Array.isArray(output) || !output.every((part) => isObject(part) && typeof part['type'] === 'string')) {
    return { type: 'json', value: output };
  }
  const parts = output as readonly Readonly<Record<string, unknown>>[];
  if (parts.every(({ type }) => type === 'text'))
    return { type: 'text', value: parts.map(({ text }) => text).join('\n') };
  return { type: 'content', value: parts.map(toPart) };
}

function toPart(part: Readonly<Record<string, unknown>>): object {
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text') return { type, text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return { type: 'file-data', data, mediaType: mimeType };
  }
  if (type === 'resource' && isObject(resource) && typeof resource['text'] === 'string') {
    return { type: 'text', text: resource['text'] };
  }
  return { type: 'text', text: JSON.stringify(part) };
}
