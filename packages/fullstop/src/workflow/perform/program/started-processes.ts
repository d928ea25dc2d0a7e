import { type McpServers, mcpServers } from '../agent/mcp.js';
import type { Environment } from '../environment.js';
import { type ProcessGroups, processGroups } from './process-groups.js';

/** The processes that a run has started: none of them outlives it. */
export interface Started {
  readonly mcp: McpServers;
  readonly programs: ProcessGroups;
}

export function startedBy({ env, mcpStartUpMs }: Environment): Started {
  const programs = processGroups();
  return { mcp: mcpServers({ env, programs, startUpMs: mcpStartUpMs }), programs };
}

export async function endAll({ mcp, programs }: Started): Promise<void> {
  await mcp.close();
  await programs.endAll();
}
