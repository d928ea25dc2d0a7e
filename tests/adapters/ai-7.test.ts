import { describe } from 'vitest';
import { checkTable } from './check-table.js';
import { aiSdkScenes } from './frameworks/ai-sdk.js';
import { isInstalled, loadFramework } from './load-framework.js';
import { aiSdkTable } from './tables/ai-sdk.js';

const isThere = isInstalled('ai-7') && process.env['FULLSTOP_ADAPTERS'] === 'all';
describe.skipIf(!isThere)('ai 7', async () => {
  checkTable(aiSdkTable, isThere ? aiSdkScenes(await loadFramework('ai-7', 'ai')) : {});
});
