import type { RecordOf } from './field.js';
import type {
  dialog,
  errorRoute,
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
import type {
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

export type Route = RecordOf<typeof route, PartRecords>;
export type ErrorRoute = RecordOf<typeof errorRoute, PartRecords>;
export type GateOption = RecordOf<typeof gateOption, PartRecords>;
export type Question = RecordOf<typeof question, PartRecords>;
export type Retry = RecordOf<typeof retry, PartRecords>;
export type Dialog = RecordOf<typeof dialog, PartRecords>;
export type Reasoning = RecordOf<typeof reasoning, PartRecords>;
export type Validator = RecordOf<typeof validator, PartRecords>;
export type Sandbox = RecordOf<typeof sandbox, PartRecords>;
export type Plugin = RecordOf<typeof plugin, PartRecords>;
export type PluginSource = RecordOf<typeof pluginSource, PartRecords>;
export type WorkflowSettings = RecordOf<typeof workflowSettings, PartRecords>;
export type InputDefinition = RecordOf<typeof inputDefinition, PartRecords>;
export type Context = RecordOf<typeof context, PartRecords>;
export type Limits = RecordOf<typeof limits, PartRecords>;
export type Pricing = RecordOf<typeof pricing, PartRecords>;
export type Cost = RecordOf<typeof cost, PartRecords>;
export type Hooks = RecordOf<typeof hooks, PartRecords>;
export type Runtime = RecordOf<typeof runtime, PartRecords>;
export type McpServer = RecordOf<typeof mcpServer, PartRecords>;
export type Checkpoint = RecordOf<typeof checkpoint, PartRecords>;
export type ToolOutput = RecordOf<typeof toolOutput, PartRecords>;
export type SkillInjection = RecordOf<typeof skillInjection, PartRecords>;
export type SkillDiscovery = RecordOf<typeof skillDiscovery, PartRecords>;
export type Azure = RecordOf<typeof azure, PartRecords>;
export type ProviderSettings = RecordOf<typeof providerSettings, PartRecords>;
export type ParallelGroup = RecordOf<typeof parallelGroup, PartRecords>;

/** The declaration of one field of an output; it nests. */
export interface OutputField extends RecordOf<typeof outputField, PartRecords> {}

/** The records that hold no step, by the names that fields have for them. */
export interface PartRecords {
  readonly Azure: Azure;
  readonly Checkpoint: Checkpoint;
  readonly Context: Context;
  readonly Cost: Cost;
  readonly Dialog: Dialog;
  readonly ErrorRoute: ErrorRoute;
  readonly GateOption: GateOption;
  readonly Hooks: Hooks;
  readonly InputDefinition: InputDefinition;
  readonly Limits: Limits;
  readonly McpServer: McpServer;
  readonly OutputField: OutputField;
  readonly ParallelGroup: ParallelGroup;
  readonly Plugin: Plugin;
  readonly PluginSource: PluginSource;
  readonly Pricing: Pricing;
  readonly ProviderSettings: ProviderSettings;
  readonly Question: Question;
  readonly Reasoning: Reasoning;
  readonly Retry: Retry;
  readonly Route: Route;
  readonly Runtime: Runtime;
  readonly Sandbox: Sandbox;
  readonly SkillDiscovery: SkillDiscovery;
  readonly SkillInjection: SkillInjection;
  readonly ToolOutput: ToolOutput;
  readonly Validator: Validator;
  readonly WorkflowSettings: WorkflowSettings;
}
