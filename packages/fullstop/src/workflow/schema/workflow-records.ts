/** The keys of the file itself and of its `workflow:` block. */
export const root = {
  workflow: {
    type: 'record',
    of: 'WorkflowSettings',
    required: true,
    description: 'Name, inputs, limits and runtime.',
  },
  tools: { type: 'list', of: { type: 'string' }, default: [], description: 'The tools that agents may name.' },
  agents: { type: 'list', of: { type: 'step' }, required: true, description: 'The steps, of whatever type.' },
  parallel: {
    type: 'list',
    of: { type: 'record', of: 'ParallelGroup' },
    default: [],
    description: 'Groups of steps that run at the same time.',
  },
  for_each: {
    type: 'list',
    of: { type: 'record', of: 'ForEachGroup' },
    default: [],
    description: 'Groups that run one step for each item of a list.',
  },
  output: { type: 'map', of: { type: 'template' }, default: {}, description: 'The final output.' },
} as const;

export const workflowSettings = {
  name: { type: 'string', required: true, description: 'The name of the workflow.' },
  description: { type: 'string', description: 'What the workflow is for.' },
  version: { type: 'string', description: 'Its version, for readers.' },
  entry_point: { type: 'string', required: true, description: 'The step or group to start with.' },
  runtime: { type: 'record', of: 'Runtime', default: {}, description: 'Provider, models, tools and checkpoints.' },
  input: {
    type: 'map',
    of: { type: 'record', of: 'InputDefinition' },
    default: {},
    description: 'The inputs of a run.',
  },
  context: { type: 'record', of: 'Context', default: {}, description: 'How much a step sees of the other steps.' },
  limits: { type: 'record', of: 'Limits', default: {}, description: 'The limits of a run.' },
  cost: { type: 'record', of: 'Cost', default: {}, description: 'Prices and how costs are shown.' },
  hooks: {
    type: 'record',
    of: 'Hooks',
    default: {},
    or_null: true,
    description: 'Texts rendered when a run starts or ends.',
  },
  metadata: { type: 'map', of: { type: 'json' }, default: {}, description: 'Whatever is to be kept with each run.' },
  instructions: {
    type: 'list',
    of: { type: 'string' },
    default: [],
    description: 'Texts that stand before every prompt.',
  },
} as const;

export const inputDefinition = {
  type: {
    type: 'choice',
    choices: ['string', 'number', 'boolean', 'array', 'object'],
    required: true,
    description: 'The type of the input.',
  },
  required: { type: 'boolean', default: true, description: 'Whether a run needs it.' },
  default: { type: 'json', description: 'Its value when a run does not give it.' },
  description: { type: 'string', description: 'What the workflow is for.' },
} as const;

export const context = {
  mode: {
    type: 'choice',
    choices: ['accumulate', 'last_only', 'explicit'],
    default: 'accumulate',
    description: 'All outputs, only the last one, or just what a step declares as input.',
  },
  max_tokens: { type: 'integer', description: 'Trim the context to about this many tokens.' },
  trim_strategy: {
    type: 'choice',
    choices: ['summarize', 'truncate', 'drop_oldest'],
    description: 'How it is trimmed.',
  },
} as const;

export const limits = {
  max_iterations: { type: 'integer', minimum: 1, maximum: 500, default: 10, description: 'The most steps of a run.' },
  timeout_seconds: { type: 'integer', minimum: 1, description: 'The most seconds of a run.' },
  budget_usd: { type: 'number', above: 0, description: 'The most dollars of a run.' },
  budget_mode: {
    type: 'choice',
    choices: ['audit', 'enforce'],
    default: 'audit',
    description: 'Whether the budget only warns or stops the run.',
  },
} as const;

export const pricing = {
  input_per_mtok: { type: 'number', minimum: 0, required: true, description: 'Dollars per million input tokens.' },
  output_per_mtok: { type: 'number', minimum: 0, required: true, description: 'Dollars per million output tokens.' },
  cache_read_per_mtok: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Dollars per million tokens read from the cache.',
  },
  cache_write_per_mtok: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Dollars per million tokens written to the cache.',
  },
} as const;

export const cost = {
  show_per_agent: { type: 'boolean', default: true, description: 'Whether costs are shown per step.' },
  show_summary: { type: 'boolean', default: true, description: 'Whether the total is shown.' },
  pricing: { type: 'map', of: { type: 'record', of: 'Pricing' }, default: {}, description: 'Prices by model.' },
} as const;

export const hooks = {
  on_start: { type: 'template', description: 'Rendered when a run starts.' },
  on_complete: { type: 'template', description: 'Rendered when a run succeeded; result is in scope.' },
  on_error: { type: 'template', description: 'Rendered when a run failed; error is in scope.' },
} as const;

export const runtime = {
  provider: {
    type: 'record',
    of: 'ProviderSettings',
    text_as: 'name',
    default: {},
    description: 'The model provider: a name, or a mapping with its settings.',
  },
  default_model: { type: 'string', description: 'The model for steps that name none.' },
  mcp_servers: {
    type: 'map',
    of: { type: 'record', of: 'McpServer' },
    default: {},
    description: 'MCP servers by name.',
  },
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'The sampling temperature.' },
  max_tokens: {
    type: 'integer',
    minimum: 1,
    maximum: 200000,
    description: 'The maximum number of tokens in one answer.',
  },
  timeout: { type: 'number', minimum: 1, description: 'How many seconds one request may take.' },
  max_session_seconds: {
    type: 'number',
    minimum: 1,
    description: 'How many seconds a session with the provider may last.',
  },
  max_agent_iterations: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    description: 'How many turns with tools an agent may take.',
  },
  default_reasoning_effort: {
    type: 'choice',
    choices: ['low', 'medium', 'high', 'xhigh', 'max'],
    description: 'How hard models think.',
  },
  default_context_tier: {
    type: 'choice',
    choices: ['default', 'long_context'],
    description: 'No effect here; name a model with a larger window.',
  },
  checkpoint: { type: 'record', of: 'Checkpoint', default: {}, description: 'When checkpoints are taken.' },
  tool_output: { type: 'record', of: 'ToolOutput', default: {}, description: 'How large tool results may be.' },
  working_dir: { type: 'template', description: 'The directory that agents work in.' },
  skills: { type: 'list', of: { type: 'string' }, default: [], description: 'Skill directories.' },
  skill_injection: {
    type: 'record',
    of: 'SkillInjection',
    default: {},
    description: 'How much skill text a prompt may carry.',
  },
  skill_discovery: { type: 'record', of: 'SkillDiscovery', description: 'Where to look for skills.' },
  plugin_sources: {
    type: 'map',
    of: { type: 'record', of: 'PluginSource', text_as: 'source' },
    default: {},
    description: 'No effect here.',
  },
  plugins: {
    type: 'list',
    of: { type: 'record', of: 'Plugin', text_as: 'name' },
    default: [],
    description: 'No effect here; list skills and servers.',
  },
} as const;

export const mcpServer = {
  type: {
    type: 'choice',
    choices: ['stdio', 'http', 'sse'],
    default: 'stdio',
    description: 'How to talk to the server.',
  },
  command: { type: 'string', description: 'The program of a stdio server.' },
  args: { type: 'list', of: { type: 'string' }, default: [], description: 'Its arguments.' },
  env: { type: 'map', of: { type: 'string' }, default: {}, description: 'Its environment variables.' },
  url: { type: 'string', description: 'The address of an http or sse server.' },
  headers: { type: 'map', of: { type: 'string' }, default: {}, description: 'HTTP headers.' },
  timeout: { type: 'integer', description: 'How many milliseconds one call may take.' },
  tools: {
    type: 'list',
    of: { type: 'string' },
    default: ['*'],
    description: 'Its tools that are offered; * means all.',
  },
} as const;

export const checkpoint = {
  every_agent: { type: 'boolean', default: false, description: 'Whether a checkpoint is taken after every step.' },
  every_seconds: { type: 'integer', minimum: 1, description: 'Seconds between checkpoints.' },
  keep_last: { type: 'integer', minimum: 1, maximum: 100, default: 5, description: 'How many are kept.' },
} as const;

export const toolOutput = {
  enabled: { type: 'boolean', default: true, description: 'Whether large tool results are cut.' },
  max_chars: {
    type: 'integer',
    minimum: 1000,
    default: 50000,
    description: 'The maximum number of characters in a tool result.',
  },
  spill_to_file: { type: 'boolean', default: true, description: 'Whether the whole text is kept in a file.' },
  spill_dir: { type: 'string', description: 'The directory of those files.' },
} as const;

export const skillInjection = {
  warn_bytes: { type: 'integer', minimum: 0, default: 65536, or_null: true, description: 'Warn above this size.' },
  max_bytes: { type: 'integer', minimum: 0, default: 163840, or_null: true, description: 'Refuse above this size.' },
} as const;

export const skillDiscovery = {
  sources: {
    type: 'list',
    of: { type: 'choice', choices: ['personal', 'project'] },
    default: [],
    description: 'Where to look.',
  },
  exclude: { type: 'list', of: { type: 'string', not_blank: true }, default: [], description: 'Skills to leave out.' },
} as const;

export const azure = {
  api_version: { type: 'string', description: 'The version of the Azure API.' },
} as const;

export const providerSettings = {
  name: {
    type: 'string',
    default: 'copilot',
    description: 'The provider: openai, claude, copilot, scripted and so on.',
  },
  type: { type: 'choice', choices: ['openai', 'azure', 'anthropic'], description: 'The dialect of the endpoint.' },
  wire_api: { type: 'choice', choices: ['completions', 'responses'], description: 'The API of the endpoint.' },
  base_url: { type: 'string', description: 'The address of the endpoint.' },
  api_key: {
    type: 'string',
    not_blank: true,
    description: 'The key of the endpoint; better from an environment variable.',
  },
  bearer_token: { type: 'string', not_blank: true, description: 'A bearer token instead of a key.' },
  auth_token: { type: 'string', not_blank: true, description: 'A token for gateways.' },
  headers: { type: 'map', of: { type: 'string' }, description: 'HTTP headers.' },
  azure: { type: 'record', of: 'Azure', description: 'The settings for Azure.' },
  runtime_url: { type: 'string', not_blank: true, description: 'The address of a runtime that is already running.' },
  runtime_token: { type: 'string', not_blank: true, description: 'Its token; needs runtime_url.' },
  hermes_home: { type: 'string', description: 'The Hermes profile directory.' },
  hermes_toolsets: { type: 'list', of: { type: 'string' }, description: 'Hermes toolsets.' },
  hermes_skip_memory: { type: 'boolean', description: 'Whether Hermes runs without its memory.' },
  hermes_skip_context_files: { type: 'boolean', description: 'Whether Hermes runs without its context files.' },
  pool_endpoint: { type: 'string', description: 'The https address of the session pool; needed by aca.' },
  api_version: { type: 'string', description: 'The version of the session pool API.' },
  inner_provider: {
    type: 'choice',
    choices: ['copilot', 'claude-agent-sdk'],
    description: 'The provider inside the sandbox.',
  },
  identifier_scope: {
    type: 'choice',
    choices: ['workflow', 'agent', 'item', 'none'],
    description: 'Which steps share a sandbox session.',
  },
  egress: { type: 'choice', choices: ['enabled', 'disabled'], description: 'Whether the sandbox reaches the network.' },
  lifecycle: { type: 'choice', choices: ['timed', 'on_container_exit'], description: 'How long a sandbox lives.' },
  auth: { type: 'choice', choices: ['azure_default'], description: 'How the pool is authenticated.' },
} as const;
