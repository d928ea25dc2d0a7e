import { checkTable } from './check-table.js';
import { openaiAgentsScenes } from './frameworks/openai-agents.js';
import { loadFramework } from './load-framework.js';
import { openaiAgentsTable } from './tables/openai-agents.js';

checkTable(openaiAgentsTable, openaiAgentsScenes(await loadFramework('openai-agents', '@openai/agents')));
