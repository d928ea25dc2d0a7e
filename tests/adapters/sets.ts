/** The sets of packages that the tests of adapters need beyond the workspace's own, each with its lock file in `sets`. */
export const frameworkSets = {
  'openai-agents': { suite: 'usual' },
  langgraph: { suite: 'usual' },
  'ai-7': { suite: 'all' },
  mastra: { suite: 'all' },
  'claude-agent-sdk': { suite: 'all' },
  'ai-5': { suite: 'all' },
  // Not a framework: the Node that some of them ask for.
  'node-22': { suite: 'all' },
} as const satisfies Readonly<Record<string, { readonly suite: 'usual' | 'all' }>>;

export type FrameworkSet = keyof typeof frameworkSets;

/** The sets of a suite: `npm test` needs the usual ones, `npm run test:adapters` all. */
export function setsOf(suite: 'usual' | 'all'): readonly FrameworkSet[] {
  const names = Object.keys(frameworkSets) as readonly FrameworkSet[];
  return names.filter((name) => suite === 'all' || frameworkSets[name].suite === 'usual');
}
