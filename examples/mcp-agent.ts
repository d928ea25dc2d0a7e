import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { mcpTools, runAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// Any MCP server will do, over stdio or HTTP; this one is in the same process.
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool(
  'price',
  {
    description: 'Returns the price of an item',
    inputSchema: { thing: z.string() },
    annotations: { readOnlyHint: true },
  },
  ({ thing }) => ({ content: [{ type: 'text', text: `${thing}: $7` }] }),
);
const [left, right] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: 'example', version: '1.0.0' });
await Promise.all([server.connect(left), client.connect(right)]);

const result = await runAgent({
  model: scriptedModel([
    { toolCalls: [{ tool: 'shop_price', input: { thing: 'a hammer' } }] },
    { text: 'A hammer costs $7.' },
  ]),
  tools: await mcpTools(client, { prefix: 'shop_' }),
  permissions: { readOnly: true },
  prompt: 'What does a hammer cost?',
});
console.log(result.toolCalls[0]?.output);
console.log(result.termination, result.text);
await client.close();
