import type { Fields, RecordName } from './field.js';
import {
  dialog,
  errorRoute,
  forEachGroup,
  gateOption,
  outputField,
  parallelGroup,
  plugin,
  pluginSource,
  question,
  reasoning,
  retry,
  route,
  sandbox,
  validator,
} from './records.js';
import {
  azure,
  checkpoint,
  context,
  cost,
  hooks,
  inputDefinition,
  limits,
  mcpServer,
  pricing,
  providerSettings,
  runtime,
  skillDiscovery,
  skillInjection,
  toolOutput,
  workflowSettings,
} from './workflow-records.js';

export interface RecordTable {
  readonly fields: Fields;
  /** The severity of a key that the table does not have: the reference lets some records carry anything. */
  readonly unknownKeys: 'error' | 'warning';
}

const closed = (fields: Fields): RecordTable => ({ fields, unknownKeys: 'error' });
const open = (fields: Fields): RecordTable => ({ fields, unknownKeys: 'warning' });

/** Every record by its name; steps have tables of their own. */
export const recordTables: Readonly<Record<RecordName, RecordTable>> = {
  Azure: closed(azure),
  Checkpoint: closed(checkpoint),
  Context: open(context),
  Cost: open(cost),
  Dialog: open(dialog),
  ErrorRoute: closed(errorRoute),
  ForEachGroup: closed(forEachGroup),
  GateOption: open(gateOption),
  Hooks: open(hooks),
  InputDefinition: open(inputDefinition),
  Limits: open(limits),
  McpServer: open(mcpServer),
  OutputField: closed(outputField),
  ParallelGroup: closed(parallelGroup),
  Plugin: closed(plugin),
  PluginSource: closed(pluginSource),
  Pricing: open(pricing),
  ProviderSettings: closed(providerSettings),
  Question: closed(question),
  Reasoning: open(reasoning),
  Retry: open(retry),
  Route: closed(route),
  Runtime: open(runtime),
  Sandbox: closed(sandbox),
  SkillDiscovery: closed(skillDiscovery),
  SkillInjection: closed(skillInjection),
  ToolOutput: closed(toolOutput),
  Validator: closed(validator),
  WorkflowSettings: closed(workflowSettings),
};
