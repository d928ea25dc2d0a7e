import { checkOptions } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
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
    options?: { signal?: never; timeout?: number },
  ): Promise<unknown>;
}

/** A tool as an MCP server describes it. */
export interface McpToolLike {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly idempotentHint?: boolean | undefined }
    | undefined;
}

/** Options of `mcpTools`: which tools of the server, the prefix of their names, and their time limit. */
export interface McpToolsOptions {
  /** Put in front of every name, so that the tools of several servers do not collide. */
  readonly prefix?: string;
  /** The tools to offer, by the server's names for them; all unless given. */
  readonly only?: readonly string[];
  /** How long the client waits for a call; without it the client has its own limit, which is a minute in the official SDK. */
  readonly timeout?: Duration;
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
 * The tools of an MCP server as tools of an agent. The model sees the errors that the server reports, a cancelled call is
 * cancelled on the server, and the server's hints about a tool (that it only reads, that repeats do no harm) are kept.
 *
 * @example
 * const tools = await mcpTools(client, { prefix: 'files_' });
 */
export async function mcpTools(
  client: McpClientLike,
  options: McpToolsOptions = {},
): Promise<Readonly<Record<string, McpTool>>> {
  const builder = 'mcpTools';
  const { prefix = '', only, timeout } = checkOptions(options, builder, ['prefix', 'only', 'timeout']);
  const timeoutMs = timeout === undefined ? undefined : durationLimit(timeout, { builder, option: 'timeout' });
  const listed = await listMcpTools(client);
  if (only !== undefined) refuseUnknown(only, listed);
  const wanted = only === undefined ? listed : listed.filter(({ name }) => only.includes(name));
  return Object.fromEntries(wanted.map((tool) => [`${prefix}${tool.name}`, toMcpTool(client, tool, timeoutMs)]));
}

/** Refuses names that the server does not know: a misspelt tool would silently not be offered. */
function refuseUnknown(only: readonly string[], listed: readonly McpToolLike[]): void {
  const names = listed.map(({ name }) => name);
  for (const name of only) {
    if (names.includes(name)) continue;
    throw new FullstopError(
      'INVALID_OPTION',
      `mcpTools: only names ${JSON.stringify(name)}, but the server has no such tool${suggestion(name, names)}; it has ${names.join(', ') || 'none'}.`,
    );
  }
}

/** All tools of a server, page by page. */
export async function listMcpTools(client: McpClientLike): Promise<readonly McpToolLike[]> {
  const tools: McpToolLike[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** A tool of a server as a tool of an agent; the timeout is in milliseconds. */
export function toMcpTool(client: McpClientLike, tool: McpToolLike, timeout: number | undefined): McpTool {
  const { name, description = '', inputSchema, annotations } = tool;
  const readOnly = annotations?.readOnlyHint === true;
  return {
    description,
    inputSchema,
    readOnly,
    idempotent: readOnly || annotations?.idempotentHint === true,
    async execute(input, { abortSignal }) {
      const args = isObject(input) ? { ...input } : {};
      // Our signals are the host's own; only their type is ours.
      const options = { signal: abortSignal as never, ...(timeout !== undefined && { timeout }) };
      const result = await client.callTool({ name, arguments: args }, undefined, options);
      const content = contentOf(result);
      const structured = isObject(result) ? result['structuredContent'] : undefined;
      if (isObject(result) && result['isError'] === true) throw new Error(errorText(content, structured));
      return structured === undefined ? (content as JsonValue) : (structured as JsonValue);
    },
    toModelOutput: ({ output }) => toOutput(output),
  };
}

function contentOf(result: unknown): readonly unknown[] {
  const content = isObject(result) ? result['content'] : undefined;
  return Array.isArray(content) ? content : [];
}

/** The words of a server about an error, in whatever form they come. */
function errorText(content: readonly unknown[], structured: unknown): string {
  const texts = content.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  if (texts.length > 0) return texts.join('\n');
  if (structured !== undefined) return JSON.stringify(structured);
  return content.length > 0 ? JSON.stringify(content) : 'The server reported an error without saying which.';
}

/** Only text is text; a structured result is JSON; pictures and files stay what they are. */
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
  if (type === 'resource' && isObject(resource)) {
    if (typeof resource['text'] === 'string') return { type: 'text', text: resource['text'] };
    if (typeof resource['blob'] === 'string')
      return { type: 'file-data', data: resource['blob'], mediaType: resource['mimeType'] };
  }
  return { type: 'text', text: JSON.stringify(part) };
}
