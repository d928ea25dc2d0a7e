import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';

// A server that answers as the Messages API does: it asks for the same page again and again.
let asked = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    asked += 1;
    const usage = { input_tokens: 40, output_tokens: 10 };
    const block = { type: 'tool_use', id: `toolu_${asked}`, name: 'mcp__pages__open', input: {} };
    const message = { id: `msg_${asked}`, type: 'message', role: 'assistant', model: 'scripted', content: [], usage };
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
      { type: 'message_stop' },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const home = mkdtempSync(join(tmpdir(), 'fullstop-claude-'));
const open = tool('open', 'open', {}, async () => ({ content: [{ type: 'text', text: 'still loading' }] }));

export const options = {
  model: 'scripted',
  cwd: home,
  settingSources: [],
  tools: [],
  mcpServers: { pages: createSdkMcpServer({ name: 'pages', version: '1.0.0', tools: [open] }) },
  allowedTools: ['mcp__pages__open'],
  env: {
    PATH: process.env.PATH,
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  },
};

export function close() {
  server.close();
  server.closeAllConnections();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
