import { createSecrets, loadModel } from 'fullstop';
import { isModelKey, type JournalEntry, possibleAskers } from 'fullstop/journal';
import type { LoadWorkflowOptions } from 'fullstop/workflow';
import type { OptionTable, OptionValues } from '../command-line/option.js';
import type { Config } from '../config/config.js';
import { importFrom } from './find-package.js';
import { loadScript } from './load-script.js';

/** Who answers for the agents of a workflow. */
export const modelOptions = {
  provider: {
    type: 'text',
    value: 'NAME',
    short: 'p',
    about: 'The provider of models, instead of the one that the file names',
  },
  model: {
    type: 'text',
    value: 'MODEL',
    short: 'm',
    about: "The model of every agent: at --provider, as provider/model, or else at the file's provider",
  },
  'allow-unknown-prices': {
    type: 'flag',
    about: 'Asks models without a known price although the file enforces a budget',
  },
  scripted: { type: 'text', value: 'FILE', about: 'Answers from a script instead of a model: no key and no network' },
} as const satisfies OptionTable;

/** Nothing is said about models: then what the run or the file says counts. */
export const noModelChoice: OptionValues<typeof modelOptions> = {
  provider: undefined,
  model: undefined,
  'allow-unknown-prices': false,
  scripted: undefined,
};

export interface ModelQuestion {
  readonly options: OptionValues<typeof modelOptions>;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The answers that a run has had before, so that a script continues where it was. */
  readonly journal?: readonly JournalEntry[];
}

/** The options of a workflow that say which model answers. */
export async function modelsFor(question: ModelQuestion): Promise<LoadWorkflowOptions> {
  const { options, config, env, cwd } = question;
  const base = {
    env,
    workingDirectory: cwd,
    ...(options['allow-unknown-prices'] && { allowUnknownPrices: true }),
    ...(config.models !== undefined && { models: config.models }),
    ...(config.prices !== undefined && { prices: config.prices }),
    ...(config.onEnding !== undefined && { onEnding: Object.keys(config.onEnding) }),
    ...sealedVariables(config, env),
  };
  if (options.scripted !== undefined) return { ...base, model: await scripted(question, options.scripted), mcp: false };
  const provider = options.provider ?? config.provider;
  const model = options.model ?? config.model;
  const name = wholeName(provider, model);
  if (name !== undefined) return { ...base, model: await loadModel(name, { env, importPackage: importFrom(cwd) }) };
  return {
    ...base,
    ...(provider !== undefined && { provider }),
    ...(options.model !== undefined && { modelName: options.model }),
    ...(config.model !== undefined && { defaultModel: config.model }),
  };
}

/** The values of the variables that the configuration calls secret; journals then hold placeholders. */
export function sealedVariables(
  { secrets = [] }: Config,
  env: ModelQuestion['env'],
): Pick<LoadWorkflowOptions, 'secrets'> {
  const values = secrets.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return values.length === 0 ? {} : { secrets: createSecrets(Object.fromEntries(values)) };
}

/** `provider/model`, where both are given. */
function wholeName(provider: string | undefined, model: string | undefined): string | undefined {
  if (model === undefined) return undefined;
  if (provider !== undefined) return `${provider}/${model}`;
  return model.includes('/') ? model : undefined;
}

async function scripted(
  { cwd, journal = [] }: ModelQuestion,
  named: string,
): Promise<NonNullable<LoadWorkflowOptions['model']>> {
  const { scriptedModel } = await import('fullstop/testing');
  const script = await loadScript(cwd, named);
  return scriptedModel(script, { used: answersUsed(journal, Object.keys(script.answers)) });
}

/** How many answers of each list a run has had already, by the model calls in its journal. */
export function answersUsed(
  journal: readonly JournalEntry[],
  lists: readonly string[],
): Readonly<Record<string, number>> {
  const used: Record<string, number> = {};
  for (const entry of journal) {
    if (entry.type !== 'step_ended' || !isModelKey(entry.key ?? '')) continue;
    const name = possibleAskers(entry.scope).find((candidate) => lists.includes(candidate)) ?? '*';
    used[name] = (used[name] ?? 0) + attemptsOf(entry.data);
  }
  return used;
}

function attemptsOf(data: { readonly ok: boolean; readonly value?: unknown; readonly attempts: number }): number {
  const { attempts } = (data.value ?? {}) as { readonly attempts?: unknown };
  return typeof attempts === 'number' ? attempts : data.attempts;
}
