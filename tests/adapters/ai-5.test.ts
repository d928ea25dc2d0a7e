import { scriptedModel } from '../../packages/fullstop/src/testing/index.js';
import { checkTable } from './check-table.js';
import { asModelV2 } from './fakes/model-v2.js';
import { aiSdkScenes } from './frameworks/ai-sdk.js';
import { loadFramework } from './load-framework.js';
import { ai5Table } from './tables/ai-sdk.js';

const { approval: _unknown, ...scenes } = aiSdkScenes(await loadFramework('ai-5', 'ai'), (answers, options) =>
  asModelV2(scriptedModel(answers, options)),
);
checkTable(ai5Table, scenes);
