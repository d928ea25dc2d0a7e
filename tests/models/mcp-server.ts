import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A server of the official SDK with a tool for everything that a tool can do. */
export function createMcpServer(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  server.registerTool(
    'price',
    { description: 'The price of a thing', inputSchema: { thing: z.string() }, annotations: { readOnlyHint: true } },
    ({ thing }) => text(`${thing} costs 7`),
  );
  server.registerTool(
    'stock',
    { description: 'What is there', inputSchema: {}, outputSchema: { nails: z.number() } },
    () => ({ ...text('3 nails'), structuredContent: { nails: 3 } }),
  );
  server.registerTool('picture', { description: 'A picture' }, () => ({
    content: [
      { type: 'text', text: 'a nail' },
      { type: 'image', data: pixel, mimeType: 'image/png' },
    ],
  }));
  server.registerTool('broken', { description: 'Never works' }, () => {
    throw new Error('the shelf fell over');
  });
  server.registerTool(
    'slow',
    { description: 'Takes its time' },
    ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  server.registerTool('refused', { description: 'Says why, but not in words' }, () => ({
    content: [],
    structuredContent: { reason: 'closed on Sundays' },
    isError: true,
  }));
  server.registerTool('manual', { description: 'A file' }, () => ({
    content: [{ type: 'resource', resource: { uri: 'file:///m.pdf', mimeType: 'application/pdf', blob: pixel } }],
  }));
  server.registerTool('collapse', { description: 'Takes the server with it' }, () => process.exit(1));
  return server;
}

if (process.argv[2] === 'stdio') await createMcpServer().connect(new StdioServerTransport());
