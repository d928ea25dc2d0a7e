import type { AdapterColumn } from '../../scripts/adapters-document.js';
import { ai5Table, aiSdkTable } from './tables/ai-sdk.js';
import { claudeAgentSdkTable } from './tables/claude-agent-sdk.js';
import { langgraphTable } from './tables/langgraph.js';
import { mastraTable } from './tables/mastra.js';
import { openaiAgentsTable } from './tables/openai-agents.js';

/** The frameworks in the order of the documentation. */
export const adapterColumns: readonly AdapterColumn[] = [
  { title: 'AI SDK 6.0.326 and 7.0.169', table: aiSdkTable },
  { title: 'OpenAI Agents SDK 0.20.0', table: openaiAgentsTable },
  { title: 'LangGraph 1.4.18 with LangChain 1.5.14', table: langgraphTable },
  { title: 'Mastra 1.71.0', table: mastraTable },
  { title: 'Claude Agent SDK 0.3.325', table: claudeAgentSdkTable },
  { title: 'AI SDK 5.0.277', table: ai5Table },
];
