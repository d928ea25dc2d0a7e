import * as ai from 'ai';
import { checkTable } from './check-table.js';
import { aiSdkScenes } from './frameworks/ai-sdk.js';
import { aiSdkTable } from './tables/ai-sdk.js';

checkTable(aiSdkTable, aiSdkScenes(ai));
