import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'rates', version: '1.0.0' });

server.registerTool(
  'rate',
  { description: 'The rate between two currencies.', inputSchema: { from: z.string(), to: z.string() } },
  ({ from, to }) => ({ content: [{ type: 'text', text: `1 ${from} is 1.25 ${to}` }] }),
);

await server.connect(new StdioServerTransport());
