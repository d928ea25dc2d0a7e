import type { RecordOf } from './field.js';
import type {
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
import type { stepFields } from './step-fields.js';
import type { stepKinds } from './step-kinds.js';
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
  root,
  runtime,
  skillDiscovery,
  skillInjection,
  toolOutput,
  workflowSettings,
} from './workflow-records.js';

export type { JsonText } from './field.js';

/** The names that a step's `type` may have. */
export type StepType = keyof typeof stepKinds;

type StepRecord<K extends StepType> = RecordOf<
  Pick<typeof stepFields, (typeof stepKinds)[K]['required'][number] | (typeof stepKinds)[K]['optional'][number]>,
  (typeof stepKinds)[K]['required'][number]
>;

/** A model with a prompt. The `_file` keys name the file that `!file` took the text from: only such a text may include others. */
export interface AgentStep extends StepRecord<'agent'> {
  readonly type: 'agent';
  readonly prompt_file?: string;
  readonly system_prompt_file?: string;
}

/** A program. */
export interface ScriptStep extends StepRecord<'script'> {
  readonly type: 'script';
}

/** One value (`value`) or several (`values`), never both. */
export interface SetStep extends StepRecord<'set'> {
  readonly type: 'set';
}

/** A pause. */
export interface WaitStep extends StepRecord<'wait'> {
  readonly type: 'wait';
}

/** A decision by a person. */
export interface HumanGateStep extends StepRecord<'human_gate'> {
  readonly type: 'human_gate';
  readonly prompt_file?: string;
}

/** Questions to a person, listed (`questions`) or found in the context (`source`). */
export interface QuestionsStep extends StepRecord<'questions'> {
  readonly type: 'questions';
  readonly prompt_file?: string;
}

/** A sub-workflow. */
export interface WorkflowStep extends StepRecord<'workflow'> {
  readonly type: 'workflow';
}

/** The explicit end of a workflow; a `status` with template marks is checked when it is rendered. */
export interface TerminateStep extends StepRecord<'terminate'> {
  readonly type: 'terminate';
}

/** A pipeline that a module exports. */
export interface PipelineStep extends StepRecord<'pipeline'> {
  readonly type: 'pipeline';
}

/** A convergence that a module exports. */
export interface ConvergenceStep extends StepRecord<'convergence'> {
  readonly type: 'convergence';
}

/** One entry of `agents:`, told apart by `type`. */
export type Step =
  | AgentStep
  | ScriptStep
  | SetStep
  | WaitStep
  | HumanGateStep
  | QuestionsStep
  | WorkflowStep
  | TerminateStep
  | PipelineStep
  | ConvergenceStep;

/** A workflow file as loaded: keys as in the file, defaults filled in, null as absent, maps in the order of the file. */
export type WorkflowDocument = RecordOf<typeof root>;

export type Route = RecordOf<typeof route>;
export type ErrorRoute = RecordOf<typeof errorRoute>;
export type GateOption = RecordOf<typeof gateOption>;
export type Question = RecordOf<typeof question>;
export type Retry = RecordOf<typeof retry>;
export type Dialog = RecordOf<typeof dialog>;
export type Reasoning = RecordOf<typeof reasoning>;
export type Validator = RecordOf<typeof validator>;
export type Sandbox = RecordOf<typeof sandbox>;
export type Plugin = RecordOf<typeof plugin>;
export type PluginSource = RecordOf<typeof pluginSource>;
export type WorkflowSettings = RecordOf<typeof workflowSettings>;
export type InputDefinition = RecordOf<typeof inputDefinition>;
export type Context = RecordOf<typeof context>;
export type Limits = RecordOf<typeof limits>;
export type Pricing = RecordOf<typeof pricing>;
export type Cost = RecordOf<typeof cost>;
export type Hooks = RecordOf<typeof hooks>;
export type Runtime = RecordOf<typeof runtime>;
export type McpServer = RecordOf<typeof mcpServer>;
export type Checkpoint = RecordOf<typeof checkpoint>;
export type ToolOutput = RecordOf<typeof toolOutput>;
export type SkillInjection = RecordOf<typeof skillInjection>;
export type SkillDiscovery = RecordOf<typeof skillDiscovery>;
export type Azure = RecordOf<typeof azure>;
export type ProviderSettings = RecordOf<typeof providerSettings>;
export type ParallelGroup = RecordOf<typeof parallelGroup>;
export type ForEachGroup = RecordOf<typeof forEachGroup>;

/** What a field of an output must be; it nests. */
export interface OutputField extends RecordOf<typeof outputField> {}

/** The records that a field of the schema may name. */
export interface DocumentRecords {
  readonly Azure: Azure;
  readonly Checkpoint: Checkpoint;
  readonly Context: Context;
  readonly Cost: Cost;
  readonly Dialog: Dialog;
  readonly ErrorRoute: ErrorRoute;
  readonly ForEachGroup: ForEachGroup;
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
  readonly Step: Step;
  readonly ToolOutput: ToolOutput;
  readonly Validator: Validator;
  readonly WorkflowSettings: WorkflowSettings;
}
