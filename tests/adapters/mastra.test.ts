import { describe } from 'vitest';
import { checkTable } from './check-table.js';
import { mastraScenes } from './frameworks/mastra.js';
import { isInstalled, loadFramework } from './load-framework.js';
import { mastraTable } from './tables/mastra.js';

const isThere = isInstalled('mastra') && process.env['FULLSTOP_ADAPTERS'] === 'all';
describe.skipIf(!isThere)('Mastra', async () => {
  const load = (name: string) => loadFramework('mastra', name);
  const scenes = isThere
    ? mastraScenes({ agents: await load('@mastra/core/agent'), tools: await load('@mastra/core/tools') })
    : {};
  checkTable(mastraTable, scenes);
});
