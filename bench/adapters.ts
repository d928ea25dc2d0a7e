import * as ai6 from 'ai';
import { asModelV2 } from '../tests/adapters/fakes/model-v2.js';
import { installSet } from '../tests/adapters/install.js';
import { loadFramework } from '../tests/adapters/load-framework.js';
import type { FrameworkSet } from '../tests/adapters/sets.js';
import { aiSdkContest, emptyContest } from './adapters/ai-sdk.js';
import { claudeAgentSdkContest } from './adapters/claude-agent-sdk.js';
import { type Contest, holdContest } from './adapters/contest.js';
import { langgraphContest } from './adapters/langgraph.js';
import { mastraContest } from './adapters/mastra.js';
import { openaiAgentsContest } from './adapters/openai-agents.js';

/** The frameworks beyond the workspace's own, by the set that they are installed with. */
const contests: readonly (readonly [FrameworkSet, () => Promise<Contest>])[] = [
  ['ai-5', async () => aiSdkContest('ai 5 generateText', await loadFramework('ai-5', 'ai'), asModelV2)],
  ['ai-7', async () => aiSdkContest('ai 7 generateText', await loadFramework('ai-7', 'ai'))],
  ['openai-agents', openaiAgentsContest],
  ['langgraph', langgraphContest],
  ['mastra', mastraContest],
  ['claude-agent-sdk', claudeAgentSdkContest],
];

/** Measures the cost that an ending adds to each step of every framework; those that are not there yet are installed first. */
export async function benchAdapters(): Promise<void> {
  for (const [set] of contests) await installSet(set);
  console.log('\nadapters: steps with a tool each, processor time per step, with and without an ending in turns');
  await holdContest(emptyContest());
  await holdContest(aiSdkContest('ai 6 generateText', ai6));
  for (const [, makeContest] of contests) await holdContest(await makeContest());
}
