import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { directoryWith, isAlive, runText, workflowFrom } from './workflow.fixture.js';

/** A real server on standard input and output, made with the SDK. */
const server = `
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
const server = new McpServer({ name: 'calc', version: '1' });
server.registerTool('where', { description: 'Says where it runs' }, async () => ({ content: [{ type: 'text', text: process.cwd() + ' ' + process.env.CALC_MODE }] }));
server.registerTool('fail', {}, async () => ({ isError: true, content: [{ type: 'text', text: 'broken' }] }));
await server.connect(new StdioServerTransport());
`;

/** A server that lists its tools in pages of one. */
const pagingServer = `
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const names = ['first', 'second', 'third'];
const server = new Server({ name: 'calc', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
  const page = Number(params?.cursor ?? 0);
  const tools = [{ name: names[page], inputSchema: { type: 'object' } }];
  return page + 1 < names.length ? { tools, nextCursor: String(page + 1) } : { tools };
});
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({ content: [{ type: 'text', text: params.name + ' was called' }] }));
await server.connect(new StdioServerTransport());
`;

// Beside the packages of the project, so that the SDK is found.
const serverFile = join(import.meta.dirname, `../../../../node_modules/.fullstop-mcp-${process.pid}.mjs`);
const pagingFile = join(import.meta.dirname, `../../../../node_modules/.fullstop-mcp-pages-${process.pid}.mjs`);
beforeAll(() => {
  writeFileSync(serverFile, server);
  writeFileSync(pagingFile, pagingServer);
});
afterAll(() => {
  rmSync(serverFile);
  rmSync(pagingFile);
});

const text = (file: string, more = ''): string => `
workflow:
  name: w
  entry_point: m
  runtime:
    mcp_servers:
      calc: {command: ${process.execPath}, args: [${JSON.stringify(file)}], env: {CALC_MODE: exact}${more}}
agents: [{name: m, prompt: go, retry: {max_attempts: 1}}]
output: {v: "{{ m.output.result }}"}
`;

describe('MCP servers', () => {
  it('offer their tools as server__tool, in the working directory and with their environment', async () => {
    const offered: unknown[] = [];
    const model = scriptedModel(
      [
        { toolCalls: [{ tool: 'calc__where', input: {} }] },
        { toolCalls: [{ tool: 'calc__fail', input: {} }] },
        { text: 'ok' },
      ],
      { onCall: ({ options }) => offered.push(options.tools?.map(({ name }) => name)) },
    );
    const directory = directoryWith({});
    const result = await runText(text(serverFile), { model, mcp: true, workingDirectory: directory });
    expect(result.output).toEqual({ v: 'ok' });
    expect(offered[0]).toEqual(['calc__where', 'calc__fail']);
    const journal = JSON.stringify(await result.journal());
    expect(journal).toContain(`${directory} exact`);
    expect(journal).toContain('broken');
  });

  it('offer only the tools that the file names', async () => {
    const offered: unknown[] = [];
    const model = scriptedModel([{ text: 'ok' }], {
      onCall: ({ options }) => offered.push(options.tools?.map(({ name }) => name)),
    });
    await runText(text(serverFile, ', tools: [where]'), { model, mcp: true });
    expect(offered).toEqual([['calc__where']]);
  });

  it('offer the tools after the first page of their list too', async () => {
    const offered: unknown[] = [];
    const model = scriptedModel([{ toolCalls: [{ tool: 'calc__third', input: {} }] }, { text: 'ok' }], {
      onCall: ({ options }) => offered.push(options.tools?.map(({ name }) => name)),
    });
    const result = await runText(text(pagingFile), { model, mcp: true });
    expect(result.output).toEqual({ v: 'ok' });
    expect(offered[0]).toEqual(['calc__first', 'calc__second', 'calc__third']);
    expect(JSON.stringify(await result.journal())).toContain('third was called');
  });

  it('that cannot be started fail the step with their name', async () => {
    const result = await runText(text('/no/such/server.mjs'), { model: scriptedModel([{ text: 'ok' }]), mcp: true });
    expect(result.termination).toMatchObject({
      kind: 'child_failed',
      termination: { kind: 'failed', errorClass: 'external', error: { code: 'MCP_FAILED' } },
    });
    expect(JSON.stringify(result.termination)).toContain("The MCP server 'calc' cannot be used");
  });

  it('are not started for answers from a script, unless asked for', async () => {
    const result = await runText(text('/no/such/server.mjs'), { model: scriptedModel([{ text: 'ok' }]) });
    expect(result.output).toEqual({ v: 'ok' });
  });

  describe('that hang', () => {
    /** Never answers, ignores SIGTERM and leaves a child of its own. */
    const hanging =
      'trap "" TERM; (trap "" TERM; while :; do sleep 300; done) & echo $$ $! > $1/pids; while :; do sleep 300; done\n';
    const hung = (directory: string, limits = ''): string => `
workflow:
  name: w
  entry_point: m
  ${limits}
  runtime:
    mcp_servers: {calc: {command: bash, args: ["${directory}/hang.sh", "${directory}"]}}
agents: [{name: m, prompt: go, retry: {max_attempts: 1}}]
`;
    const aliveOf = (directory: string): readonly number[] =>
      readFileSync(join(directory, 'pids'), 'utf8').trim().split(' ').map(Number).filter(isAlive);

    it('at their start fail the step in time, and are ended as a whole', async () => {
      const directory = directoryWith({ 'hang.sh': hanging });
      const result = await runText(hung(directory), {
        model: scriptedModel([{ text: 'never asked' }]),
        mcp: true,
        mcpStartUpMs: 5000,
      });
      expect(result.termination).toMatchObject({
        kind: 'child_failed',
        termination: {
          kind: 'failed',
          error: { code: 'MCP_FAILED', message: "The MCP server 'calc' cannot be used: it did not start within 5 s" },
        },
      });
      expect(aliveOf(directory)).toEqual([]);
    });

    it('do not hold up the time limit of the run', async () => {
      const directory = directoryWith({ 'hang.sh': hanging });
      const text = hung(directory, 'limits: {timeout_seconds: 5}');
      const result = await workflowFrom(text, {
        model: scriptedModel([{ text: 'never asked' }]),
        mcp: true,
        mcpStartUpMs: 3_600_000,
      }).run();
      expect(result.termination.kind).toBe('time_budget');
      expect(aliveOf(directory)).toEqual([]);
    });
  });
});
