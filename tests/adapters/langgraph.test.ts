import { checkTable } from './check-table.js';
import { langgraphScenes } from './frameworks/langgraph.js';
import { loadFramework } from './load-framework.js';
import { langgraphTable } from './tables/langgraph.js';

const load = (name: string) => loadFramework('langgraph', name);
checkTable(
  langgraphTable,
  langgraphScenes({
    langchain: await load('langchain'),
    langgraph: await load('@langchain/langgraph'),
    models: await load('@langchain/core/language_models/chat_models'),
  }),
);
