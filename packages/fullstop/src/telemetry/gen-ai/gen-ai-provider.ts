/** Words of the GenAI conventions for providers that go by another name in the AI SDK. */
const conventional: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['google', 'gcp.gemini'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
]);

const known = new Map<string, string>();

/** How the GenAI conventions call a provider: `openai` for `openai.responses`; its own word where they have none. */
export function genAiProvider(provider: string | undefined): string {
  if (provider === undefined || provider === '') return 'unknown';
  let name = known.get(provider);
  if (name === undefined) {
    const [maker = provider, service] = provider.split('.');
    name = conventional.get(`${maker}.${service}`) ?? conventional.get(maker) ?? maker;
    // Providers are few; whoever invents them one by one gets no memory for it.
    if (known.size < 1000) known.set(provider, name);
  }
  return name;
}
