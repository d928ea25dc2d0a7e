import { scriptedModel } from '../../packages/fullstop/src/testing/index.js';
import { checkTable } from './check-table.js';
import { asModelV2 } from './fakes/model-v2.js';
import { aiSdkScenes, unapprovedScene } from './frameworks/ai-sdk.js';
import { loadFramework } from './load-framework.js';
import { ai5Table } from './tables/ai-sdk.js';

const ai = await loadFramework('ai-5', 'ai');
const makeModel: typeof scriptedModel = (answers, options) => asModelV2(scriptedModel(answers, options));
checkTable(ai5Table, { ...aiSdkScenes(ai, makeModel), approval: unapprovedScene(ai, makeModel) });
