import { checkTable } from './check-table.js';
import { mastraScenes } from './frameworks/mastra.js';
import { loadFramework } from './load-framework.js';
import { mastraTable } from './tables/mastra.js';

const load = (name: string) => loadFramework('mastra', name);
checkTable(
  mastraTable,
  mastraScenes({ agents: await load('@mastra/core/agent'), tools: await load('@mastra/core/tools') }),
);
