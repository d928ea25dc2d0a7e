/** The names that the GenAI conventions have for providers with another name in the AI SDK. */
const conventional: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['bedrock', 'aws.bedrock'],
  ['google', 'gcp.gemini'],
  ['google.vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['moonshotai', 'moonshot_ai'],
  ['vertex', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
]);

const known = new Map<string, string>();

/** The name of a provider in the GenAI conventions: `openai` for `openai.responses`; its own where they have none. */
export function genAiProvider(provider: string | undefined): string {
  if (provider === undefined || provider === '') return 'unknown';
  let name = known.get(provider);
  if (name === undefined) {
    const [maker = provider, service] = provider.split('.');
    name = conventional.get(`${maker}.${service}`) ?? conventional.get(maker) ?? maker;
    // Providers are few; names that are invented one by one must not fill the memory.
    if (known.size < 1000) known.set(provider, name);
  }
  return name;
}
