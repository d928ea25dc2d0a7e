import { agentAsTool, defineAgent, matchCategory, runAgent, type StandardSchema, type ToolCallOptions } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';

// Functions that are written in place, whose parameters have no types of their own: each compiler has to find the same ones.

function schemaOf<T>(): StandardSchema<T> {
  return { '~standard': { version: 1, vendor: 'consumer', validate: (value) => ({ value: value as T }) } };
}

const model = scriptedModel([{ text: 'hello' }]);
const query = schemaOf<{ readonly q: string }>();
const tenant = schemaOf<{ readonly tenant: string }>();

export const once = runAgent({
  model,
  prompt: 'hello',
  context: { tenant: 'acme', user: 7 },
  hooks: { onEnd: ({ termination, runId }) => void [termination.kind, runId.length] },
  tools: {
    search: {
      inputSchema: query,
      contextSchema: tenant,
      execute: ({ q }, { context, iteration }) => q.length + context.tenant.length + iteration,
    },
    charge: { execute: (_input: object, { context }: ToolCallOptions<{ readonly user: number }>) => context.user },
  },
});

export const searcher = defineAgent({
  name: 'searcher',
  model,
  tools: { search: { inputSchema: query, contextSchema: tenant, execute: ({ q }, { context }) => q + context.tenant } },
});
export const making = defineAgent({
  name: 'making',
  model,
  context: async ({ runId }) => ({ tenant: runId }),
  tools: { search: { inputSchema: query, contextSchema: tenant, execute: ({ q }, { context }) => q + context.tenant } },
});
export const outer = defineAgent({ name: 'outer', model, tools: { searcher: agentAsTool(searcher) } });
export const searched = searcher.run('hello', { context: { tenant: 'acme' } });
export const made = making.run('hello');

// @ts-expect-error the context is missing
export const missing = searcher.run('hello');
// @ts-expect-error the agent inside needs it
export const missingInside = outer.run('hello');
// @ts-expect-error the input has no member of that name
void runAgent({ model, prompt: '', tools: { search: { inputSchema: query, execute: ({ query: text }) => text } } });

export async function next(): Promise<string> {
  const { termination } = await runAgent({ model, prompt: 'hello', hooks: { beforeTol: undefined } as object });
  return matchCategory(termination, {
    success: (t) => t.kind,
    cancelled: (t) => t.kind,
    capacity: (t) => t.kind,
    retryable: (t) => t.kind,
    fatal: (t) => t.kind,
  });
}
