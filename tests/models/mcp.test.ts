import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import { mcpTools } from '../../packages/fullstop/src/agent/tools/mcp-tools.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { createMcpServer } from './mcp-server.js';

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function connected(transport: Parameters<Client['connect']>[0]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  open.push(() => client.close());
  return client;
}

function overStdio(): Promise<Client> {
  const script = fileURLToPath(new URL('./mcp-server.ts', import.meta.url));
  const args = ['--import', 'tsx', script, 'stdio'];
  return connected(new StdioClientTransport({ command: process.execPath, args }));
}

async function overHttp(): Promise<Client> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      // Without sessions every request has a server of its own.
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      await createMcpServer().connect(transport as Parameters<Client['connect']>[0]);
      await transport.handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`));
  return connected(transport as Parameters<Client['connect']>[0]);
}

const call = (tool: string, input: Record<string, string> = {}) => ({ toolCalls: [{ tool, input }] });

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
])('the tools of an MCP server over %s', (_, connect) => {
  it('work as they are: text, structured results, pictures and errors', async () => {
    const tools = await mcpTools(await connect(), { prefix: 'shop_' });
    const offered: unknown[] = [];
    const model = scriptedModel(
      [
        call('shop_price', { thing: 'a nail' }),
        call('shop_stock'),
        call('shop_picture'),
        call('shop_broken'),
        call('shop_price'),
        { text: 'done' },
      ],
      { onCall: ({ options }) => offered.push(...(options.tools ?? [])) },
    );
    const result = await runAgent({ model, tools, prompt: 'go' });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    const [price, stock, picture, broken, wrong] = result.toolCalls;
    expect(price?.output).toEqual({ type: 'text', value: 'a nail costs 7' });
    expect(stock?.output).toEqual({ type: 'json', value: { nails: 3 } });
    expect(picture?.output).toMatchObject({
      type: 'content',
      value: [
        { type: 'text', text: 'a nail' },
        { type: 'file', mediaType: 'image/png' },
      ],
    });
    expect(broken).toMatchObject({
      output: { type: 'error-text', value: expect.stringContaining('fell over') as unknown },
    });
    expect(wrong?.output.type).toBe('error-text');
    expect(offered[0]).toMatchObject({
      name: 'shop_price',
      inputSchema: { properties: { thing: { type: 'string' } } },
    });
  });

  it('say whether they only read, which permissions heed', async () => {
    const tools = await mcpTools(await connect(), { only: ['price', 'stock'] });
    expect(Object.keys(tools)).toEqual(['price', 'stock']);
    const model = scriptedModel([call('price', { thing: 'x' }), call('stock'), { text: 'done' }]);
    const result = await runAgent({ model, tools, prompt: 'go', permissions: { readOnly: true } });
    expect(result.toolCalls.map(({ error }) => error?.code)).toEqual([undefined, 'DENIED']);
  });

  it('report errors in whatever form the server sends them, and return files as files', async () => {
    const tools = await mcpTools(await connect());
    const model = scriptedModel([call('refused'), call('manual'), { text: 'done' }]);
    const [refused, manual] = (await runAgent({ model, tools, prompt: 'go' })).toolCalls;
    expect(refused?.output).toEqual({ type: 'error-text', value: '{"reason":"closed on Sundays"}' });
    expect(manual?.output).toMatchObject({ type: 'content', value: [{ type: 'file', mediaType: 'application/pdf' }] });
  });

  it('are waited for as long as is said', async () => {
    const tools = await mcpTools(await connect(), { only: ['slow'], timeout: '50ms' });
    const result = await runAgent({ model: scriptedModel([call('slow'), { text: 'done' }]), tools, prompt: 'go' });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.toolCalls[0]?.output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('timed out') as unknown,
    });
  });

  it('are refused under names that the server does not have', async () => {
    const client = await connect();
    await expect(mcpTools(client, { only: ['price', 'stok'] })).rejects.toThrow('no such tool (did you mean "stock"?)');
    await expect(mcpTools(client, { prefx: 'shop_' } as never)).rejects.toThrow('(did you mean "prefix"?)');
  });

  it('are cancelled with the run', async () => {
    const { slow } = await mcpTools(await connect(), { only: ['slow'] });
    const controller = new AbortController();
    const tools = {
      slow: {
        ...slow,
        execute: (...args: Parameters<NonNullable<NonNullable<typeof slow>['execute']>>) => {
          const result = slow?.execute?.(...args);
          // Asked, and not answered yet.
          controller.abort('enough');
          return result;
        },
      },
    };
    const result = await runAgent({
      model: scriptedModel([call('slow')]),
      tools,
      prompt: 'go',
      signal: controller.signal,
      graceMs: 2_000,
    });
    expect(result.termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
  });
});

it('a server that dies is an error of the call under way and of those after it, and the run continues', async () => {
  const tools = await mcpTools(await overStdio());
  const model = scriptedModel([call('collapse'), call('price', { thing: 'x' }), { text: 'it is gone' }]);
  const result = await runAgent({ model, tools, prompt: 'go' });
  expect(result.termination).toEqual({ kind: 'natural_end' });
  expect(result.toolCalls.map(({ output }) => output)).toEqual([
    { type: 'error-text', value: expect.stringContaining('closed') as unknown },
    { type: 'error-text', value: expect.stringContaining('Not connected') as unknown },
  ]);
});
