/** The keys of every mapping below the steps. */
export const route = {
  to: { type: 'string', required: true, not_blank: true, description: 'A step, a group or $end.' },
  when: {
    type: 'condition',
    description: 'A template in {{ }} or a plain expression; without it the route is always taken.',
  },
  output: {
    type: 'map',
    of: { type: 'template' },
    description: 'Values merged over the final output when the route goes to $end.',
  },
} as const;

export const errorRoute = {
  to: { type: 'string', required: true, not_blank: true, description: 'A step, a group or $end.' },
  kind: {
    type: 'list',
    of: { type: 'string' },
    or_single: true,
    description:
      'Kinds of ending that match, such as failed, child_failed or provider_failed; the root cause counts too.',
  },
  category: {
    type: 'list',
    of: { type: 'choice', choices: ['paused', 'cancelled', 'capacity', 'retryable', 'fatal'] },
    or_single: true,
    description: 'Categories of ending that match.',
  },
  error: {
    type: 'list',
    of: { type: 'string' },
    or_single: true,
    description: 'Names or codes of errors that match.',
  },
  when: {
    type: 'condition',
    description: 'A condition that must hold as well; ending and error are in its scope.',
  },
  output: {
    type: 'map',
    of: { type: 'template' },
    description: 'Values merged over the final output when the route goes to $end.',
  },
} as const;

export const gateOption = {
  label: { type: 'string', required: true, description: 'What the person reads.' },
  value: { type: 'string', required: true, description: 'What the step output holds under selected.' },
  route: { type: 'string', required: true, description: 'Where this choice leads: a step, a group or $end.' },
  prompt_for: { type: 'string', description: 'Ask for a text as well and keep it under this name.' },
  multiline: { type: 'boolean', default: false, description: 'Whether that text may have several lines.' },
} as const;

export const question = {
  id: { type: 'string', description: 'The key of the answer; q1, q2 and so on when absent.' },
  text: { type: 'template', required: true, description: 'The question.' },
  hint: { type: 'template', description: 'A line that helps to answer.' },
  choices: { type: 'list', of: { type: 'template' }, description: 'Answers to choose from.' },
  allow_free_text: { type: 'boolean', default: true, description: 'Whether an own answer may be written.' },
  default: { type: 'string', description: 'The answer when the question is skipped.' },
  required: { type: 'boolean', default: false, description: 'Whether the question must be answered.' },
  multiline: { type: 'boolean', default: true, description: 'Whether the answer may have several lines.' },
} as const;

export const outputField = {
  type: {
    type: 'choice',
    choices: ['string', 'number', 'boolean', 'array', 'object'],
    required: true,
    description: 'The type of the field.',
  },
  description: { type: 'string', description: 'What the model is told about the field.' },
  items: { type: 'record', of: 'OutputField', description: 'What the elements of an array must be.' },
  properties: {
    type: 'map',
    of: { type: 'record', of: 'OutputField' },
    description: 'What the members of an object must be.',
  },
  enum: { type: 'list', of: { type: 'scalar' }, description: 'The values that are allowed.' },
  pattern: { type: 'string', description: 'A regular expression that must be found in the text.' },
  minimum: { type: 'number', description: 'The smallest number allowed.' },
  maximum: { type: 'number', description: 'The largest number allowed.' },
  minLength: { type: 'integer', minimum: 0, description: 'The fewest characters allowed.' },
  maxLength: { type: 'integer', minimum: 0, description: 'The most characters allowed.' },
  required: { type: 'boolean', default: true, description: 'Whether the member of an object must be there.' },
  nullable: { type: 'boolean', default: false, description: 'Whether null is allowed.' },
} as const;

export const retry = {
  max_attempts: { type: 'integer', minimum: 1, maximum: 10, default: 1, description: 'Attempts, the first included.' },
  backoff: {
    type: 'choice',
    choices: ['fixed', 'exponential'],
    default: 'exponential',
    description: 'Whether the delay stays or doubles.',
  },
  delay_seconds: {
    type: 'number',
    minimum: 0,
    maximum: 300,
    default: 2,
    description: 'The delay before the second attempt.',
  },
  retry_on: {
    type: 'list',
    of: { type: 'choice', choices: ['provider_error', 'timeout'] },
    default: ['provider_error', 'timeout'],
    description: 'Which failures are retried.',
  },
  max_parse_recovery_attempts: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    description: 'How often the model is asked to correct an answer that does not fit the output fields.',
  },
} as const;

export const dialog = {
  trigger_prompt: { type: 'string', required: true, description: 'When to ask a person, in words.' },
} as const;

export const reasoning = {
  effort: {
    type: 'choice',
    choices: ['low', 'medium', 'high', 'xhigh', 'max'],
    or_template: true,
    required: true,
    description: 'How hard the model thinks.',
  },
} as const;

export const validator = {
  criteria: { type: 'string', required: true, not_blank: true, description: 'The criteria for a good output.' },
  model: { type: 'string', description: 'The model that judges.' },
  max_retries: {
    type: 'integer',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'Whether the agent may try once more.',
  },
} as const;

export const sandbox = {
  identifier_scope: {
    type: 'choice',
    choices: ['workflow', 'agent', 'item', 'none'],
    description: 'Which steps share a sandbox session.',
  },
  working_dir: { type: 'string', description: 'The directory inside the sandbox.' },
} as const;

export const plugin = {
  name: { type: 'string', required: true, not_blank: true, description: 'A path or plugin@marketplace.' },
  skills: { type: 'boolean', default: true, description: 'Whether to use its skills.' },
  agents: { type: 'boolean', default: true, description: 'Whether to use its agents.' },
  mcp: { type: 'boolean', default: true, description: 'Whether to use its MCP servers.' },
} as const;

export const pluginSource = {
  source: { type: 'string', required: true, not_blank: true, description: 'owner/repo, a git address or a path.' },
  path: { type: 'string', not_blank: true, description: 'A directory inside the source.' },
  plugin: { type: 'string', not_blank: true, description: 'The plugin inside the source.' },
} as const;

export const parallelGroup = {
  name: { type: 'string', required: true, description: 'The name that routes and templates use for the group.' },
  description: { type: 'string', description: 'A note for readers.' },
  agents: {
    type: 'list',
    of: { type: 'string' },
    required: true,
    at_least: 2,
    description: 'The steps that run at the same time.',
  },
  failure_mode: {
    type: 'choice',
    choices: ['fail_fast', 'continue_on_error', 'all_or_nothing'],
    default: 'fail_fast',
    description: 'How a failed member affects the group.',
  },
  spawn: {
    type: 'choice',
    choices: ['queue'],
    description:
      'With queue, members are runs of their own that workers take from queues; all of them must be of type workflow.',
  },
  routes: { type: 'list', of: { type: 'record', of: 'Route' }, default: [], description: 'Where to go next.' },
  on_error: {
    type: 'list',
    of: { type: 'record', of: 'ErrorRoute' },
    default: [],
    description: 'Where to go when the group fails.',
  },
} as const;

export const forEachGroup = {
  name: { type: 'string', required: true, description: 'The name that routes and templates use for the group.' },
  description: { type: 'string', description: 'A note for readers.' },
  type: { type: 'choice', choices: ['for_each'], required: true, description: 'Always for_each.' },
  source: { type: 'string', required: true, description: 'The list to iterate over, such as finder.output.items.' },
  as: { type: 'string', required: true, description: 'The name of the item in templates.' },
  agent: { type: 'step', required: true, description: 'The step that runs once per item.' },
  max_concurrent: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'How many run at the same time.',
  },
  failure_mode: {
    type: 'choice',
    choices: ['fail_fast', 'continue_on_error', 'all_or_nothing'],
    default: 'fail_fast',
    description: 'How a failed item affects the group.',
  },
  spawn: {
    type: 'choice',
    choices: ['queue'],
    description:
      'With queue, members are runs of their own that workers take from queues; all of them must be of type workflow.',
  },
  key_by: { type: 'string', description: 'A path in the item whose value names its output, such as item.id.' },
  routes: { type: 'list', of: { type: 'record', of: 'Route' }, default: [], description: 'Where to go next.' },
  on_error: {
    type: 'list',
    of: { type: 'record', of: 'ErrorRoute' },
    default: [],
    description: 'Where to go when the group fails.',
  },
} as const;
