import * as ai6 from 'ai';
import { isInstalled, loadFramework } from '../tests/adapters/load-framework.js';
import { aiSdkContest, emptyContest } from './adapters/ai-sdk.js';
import { type Contest, holdContest } from './adapters/contest.js';
import { langgraphContest } from './adapters/langgraph.js';
import { mastraContest } from './adapters/mastra.js';
import { openaiAgentsContest } from './adapters/openai-agents.js';

/** The frameworks by the set that they are installed with; the Claude Agent SDK is left out, because its loop is in a process of its own. */
const contests: Readonly<Record<string, () => Promise<Contest>>> = {
  'openai-agents': openaiAgentsContest,
  langgraph: langgraphContest,
  'ai-7': async () => aiSdkContest('ai 7 generateText', await loadFramework('ai-7', 'ai')),
  mastra: mastraContest,
};

/** Measures the cost that an ending adds to each step of a framework; those that are not installed are left out. */
export async function benchAdapters(): Promise<void> {
  console.log('\nadapters: steps with a tool each, processor time per step, with and without an ending in turns');
  const held = [emptyContest(), aiSdkContest('ai 6 generateText', ai6)];
  for (const [set, contest] of Object.entries(contests)) if (isInstalled(set)) held.push(await contest());
  for (const contest of held) await holdContest(contest);
}
