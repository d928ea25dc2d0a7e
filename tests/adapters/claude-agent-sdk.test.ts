import { checkTable } from './check-table.js';
import { claudeScenes } from './frameworks/claude-agent-sdk.js';
import { loadFramework } from './load-framework.js';
import { claudeAgentSdkTable } from './tables/claude-agent-sdk.js';

checkTable(
  claudeAgentSdkTable,
  claudeScenes(await loadFramework('claude-agent-sdk', '@anthropic-ai/claude-agent-sdk')),
);
