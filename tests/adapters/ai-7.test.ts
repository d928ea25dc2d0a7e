import { checkTable } from './check-table.js';
import { aiSdkScenes } from './frameworks/ai-sdk.js';
import { loadFramework } from './load-framework.js';
import { aiSdkTable } from './tables/ai-sdk.js';

checkTable(aiSdkTable, aiSdkScenes(await loadFramework('ai-7', 'ai')));
