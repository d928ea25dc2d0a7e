import { checkPlugins, checkSkills } from '../rule-checks.js';
import { refuse } from '../rule-spot.js';
import { hasTemplateMarks } from '../template-marks.js';
import type { StepRecord, StepShape } from './step-shape.js';

const keys = {
  required: ['name'],
  optional: [
    'description',
    'input',
    'routes',
    'on_error',
    'provider',
    'model',
    'context_tier',
    'tools',
    'system_prompt',
    'prompt',
    'output',
    'output_mode',
    'working_dir',
    'timeout_seconds',
    'max_session_seconds',
    'max_agent_iterations',
    'session_key',
    'retry',
    'dialog',
    'reasoning',
    'validator',
    'sandbox',
    'skills',
    'plugins',
  ],
  ignored: ['options', 'command', 'args', 'env', 'timeout', 'workflow'],
} as const;

const fields = {
  provider: {
    type: 'string',
    description: 'The model provider of this step, instead of the one of the workflow.',
    harmless_when_empty: true,
  },
  model: {
    type: 'template',
    description: 'The model of this step, instead of the default model.',
    harmless_when_empty: true,
  },
  context_tier: {
    type: 'choice',
    choices: ['default', 'long_context'],
    or_template: true,
    description: 'No effect here; name a model with a larger window.',
  },
  tools: {
    type: 'list',
    of: { type: 'string' },
    description: 'The tools of the workflow that the agent may use: absent means all, an empty list none.',
  },
  system_prompt: { type: 'template', description: 'The system prompt.', harmless_when_empty: true },
  output_mode: {
    type: 'choice',
    choices: ['raw', 'envelope'],
    description: 'raw keeps the text of the answer as it is; envelope reads the declared fields from it.',
  },
  timeout_seconds: { type: 'number', minimum: 1, description: 'Seconds after which the agent is stopped.' },
  max_session_seconds: {
    type: 'number',
    minimum: 1,
    description: 'How many seconds a session with the provider may last.',
  },
  max_agent_iterations: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    description: 'How many turns with tools the agent may take.',
  },
  session_key: { type: 'string', description: 'No effect here; no template.' },
  retry: { type: 'record', of: 'Retry', description: 'When and how often to try again.' },
  dialog: { type: 'record', of: 'Dialog', description: 'When to talk to a person about the output.' },
  reasoning: { type: 'record', of: 'Reasoning', description: 'How much the model reasons.' },
  validator: { type: 'record', of: 'Validator', description: 'A second call that judges the output.' },
  sandbox: {
    type: 'record',
    of: 'Sandbox',
    description: 'No effect here; tools run in this process and in MCP servers.',
  },
  skills: { type: 'list', of: { type: 'string' }, description: 'Skill directories, instead of those of the workflow.' },
  plugins: {
    type: 'list',
    of: { type: 'record', of: 'Plugin', text_as: 'name' },
    description: 'No effect here; list skills and servers.',
  },
} as const;

/** A model with a prompt. The `_file` keys name the file that `!file` took the text from: only such a text may include others. */
export interface AgentStep extends StepRecord<typeof keys, typeof fields> {
  readonly type: 'agent';
  readonly prompt_file?: string;
  readonly system_prompt_file?: string;
}

export const agentShape: StepShape<AgentStep> = {
  type: 'agent',
  description: 'A model with a prompt, tools and an output; the type of a step that names none.',
  keys,
  fields,
  sees: 'declared',
  endsWorkflow: false,
  check(spot) {
    const { output_mode, output, session_key, skills, plugins } = spot.value;
    if (output_mode === 'raw' && output !== undefined && output.size > 0) {
      refuse(spot, 'output_mode', "output_mode 'raw' cannot be combined with an output schema");
    }
    if (session_key !== undefined && (session_key.trim() === '' || hasTemplateMarks(session_key))) {
      refuse(spot, 'session_key', 'session_key must be a text without template marks');
    }
    if (skills !== undefined) checkSkills(spot, skills);
    if (plugins !== undefined) checkPlugins(spot, plugins);
  },
};
