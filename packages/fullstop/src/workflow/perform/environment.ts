import type { ToolSet } from '../../agent/tools/tool.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelPrice } from '../../run/accounts/price.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import type { JsonValue } from '../../termination/json.js';

/** A hook of the file, with its text rendered. */
export interface RenderedHook {
  readonly name: 'on_start' | 'on_complete' | 'on_error';
  readonly text: string;
  readonly workflow: string;
}

/** A model of this process, or the name of one such as `openai/gpt-5`. */
export type ModelChoice = LanguageModel | string;

/** The environment that a workflow gets from the program that runs it. */
export interface EnvironmentOptions {
  /** Answers for every agent, whatever the file names. */
  readonly model?: ModelChoice;
  /** The models that names in the file mean: `provider/model`, a model or a provider. */
  readonly models?: Readonly<Record<string, ModelChoice>>;
  /** Instead of the provider that the file names. */
  readonly provider?: string;
  /** Instead of every model that the file names, at the provider that it names. */
  readonly modelName?: string;
  /** Instead of the file's default model. */
  readonly defaultModel?: string;
  /** Environment variables: for `${NAME}` in files, for programs and for model keys; those of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where programs run; the working directory of the process unless given. */
  readonly workingDirectory?: string;
  /** Tools by the names that the file has for them. */
  readonly tools?: ToolSet;
  /** Called for every hook of the file, once. */
  readonly onHook?: (hook: RenderedHook) => void | Promise<void>;
  /** Whether MCP servers of the file are started; on unless all answers come from a script. */
  readonly mcp?: boolean;
  /** How long an MCP server may take to start and to list its tools, in milliseconds; 60,000 unless given. */
  readonly mcpStartUpMs?: number;
  /** Where large outputs are kept; a directory of the system for temporary files unless given. */
  readonly spillDirectory?: string;
  /** The largest output of a program in bytes; 10,000,000 unless given. */
  readonly maxScriptOutputBytes?: number;
  /** Imports the modules of `use:`; `import()` unless given. */
  readonly importModule?: (url: string) => Promise<Readonly<Record<string, unknown>>>;
  /** Prices of models, besides those of the file and the usual ones. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** Lets agents ask models without a known price although the file enforces a budget, which then counts only what is known. */
  readonly allowUnknownPrices?: boolean;
  /** Values that the journal must not hold, besides what the file takes from variables such as `${SERVICE_API_KEY}`. */
  readonly secrets?: Secrets;
  /** Who is notified of each ending: names that `deliverNotices` knows. */
  readonly onEnding?: readonly string[];
  /** Loads a model by name; `loadModel` unless given. */
  readonly loadModel?: (name: string) => Promise<LanguageModel>;
}

export interface Environment extends EnvironmentOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** The folder that nothing is read outside of, where the load is confined. */
  readonly folder?: string | undefined;
  /** A template that another one includes: what is stored with the run, else the file; undefined when there is none. */
  readPartial(path: string): string | undefined;
  /** Seals what a module that steps use wants to have sealed. */
  readonly sealAlso?: (secrets: Secrets) => void;
}

/** The inputs of a run of a workflow as JSON, or as JSON text where `1.0` has to stay `1.0`. */
export type WorkflowInputs = Readonly<Record<string, JsonValue>> | string;
