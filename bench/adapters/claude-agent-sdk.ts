import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withEnding } from 'fullstop/adapters/claude-agent-sdk';
import { z } from 'zod';
import { fakeMessagesApi } from '../../tests/adapters/fakes/messages-api.js';
import { claudeSession } from '../../tests/adapters/frameworks/claude-agent-sdk.js';
import { type AnyModule, loadFramework } from '../../tests/adapters/load-framework.js';
import { type Contest, countToolRun, ours } from './contest.js';

/**
 * The Claude Agent SDK against a fake of the Messages API. Its loop is in a process of its own, whose time is not counted: what the SDK
 * costs here is less than what it costs, and so is what an ending may add.
 */
export async function claudeAgentSdkContest(): Promise<Contest> {
  const sdk = await loadFramework('claude-agent-sdk', '@anthropic-ai/claude-agent-sdk');
  const inSession = async (count: number, work: (query: object) => Promise<unknown>): Promise<unknown> => {
    const home = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
    const calls = Array.from({ length: count }, (_, n) => ({
      call: { name: 'mcp__my__count', input: { n } },
      inputTokens: 100 + n,
    }));
    const api = await fakeMessagesApi([...calls, { text: 'done', inputTokens: 100 + count }]);
    try {
      const { options } = claudeSession(sdk, home, api.url, countingServer(sdk));
      return await work({ prompt: 'go', options });
    } finally {
      await api.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  const read = async (query: AnyModule): Promise<void> => {
    for await (const _message of sdk.query(query));
  };
  const withPartialMessages = (query: AnyModule) => ({
    ...query,
    options: { ...query.options, includePartialMessages: true },
  });
  return {
    name: 'Claude Agent SDK query, without its process',
    pace: 'process',
    bare: (count) => inSession(count, read),
    plain: (count) => inSession(count, (query: AnyModule) => withEnding(sdk.query, query)),
    ended: (count) => inSession(count, (query: AnyModule) => withEnding(sdk.query, query, ours)),
    heard: {
      label: 'partial messages that nobody reads',
      call: (count) => inSession(count, (query) => read(withPartialMessages(query))),
    },
  };
}

/** A server with the tool that counts. */
function countingServer({ createSdkMcpServer, tool }: AnyModule): object {
  const count = tool('count', 'counts', { n: z.number() }, async ({ n }: { readonly n: number }) => {
    countToolRun();
    return { content: [{ type: 'text', text: `next ${n}` }] };
  });
  const my = createSdkMcpServer({ name: 'my', version: '1.0.0', tools: [count] });
  return { mcpServers: { my }, allowedTools: ['mcp__my__count'] };
}
