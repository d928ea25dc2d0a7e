import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';

/** Options that other libraries have, in our words. Each begins with one of our options. */
export const otherNames: Readonly<Record<string, string>> = {
  abortSignal: 'signal',
  activeTools: 'permissions: { allow: [names] }',
  experimental_activeTools: 'permissions: { allow: [names] }',
  experimental_context: 'context',
  experimental_onLanguageModelCallEnd: 'hooks: { afterModel }',
  experimental_onLanguageModelCallStart: 'hooks: { beforeModel }',
  experimental_onStart: 'hooks: { onPrompt }',
  experimental_onStepStart: 'hooks: { beforeIteration }',
  experimental_onToolCallFinish: 'hooks: { afterTool }',
  experimental_onToolCallStart: 'hooks: { beforeTool }',
  experimental_output: 'output: schema',
  experimental_refineToolInput: 'hooks: { beforeTool: () => transform(input) }',
  frequencyPenalty: 'settings: { frequencyPenalty }',
  headers: 'settings: { headers }',
  id: 'name',
  maxOutputTokens: 'settings: { maxOutputTokens }',
  maxRetries: 'retry: { attempts: maxRetries + 1 }',
  maxSteps: 'stopWhen: maxIterations(n)',
  maxTokens: 'settings: { maxOutputTokens }',
  maxTurns: 'stopWhen: maxIterations(n)',
  messages: 'prompt',
  onAbort: 'onEnding: [targets]',
  onChunk: 'onDelta',
  onEnd: 'hooks: { onEnd }',
  onError: 'hooks: { onEnd }',
  onFinish: 'hooks: { onEnd }',
  onLanguageModelCallEnd: 'hooks: { afterModel }',
  onLanguageModelCallStart: 'hooks: { beforeModel }',
  onStepEnd: 'hooks: { afterIteration }',
  onStepFinish: 'hooks: { afterIteration }',
  onStepStart: 'hooks: { beforeIteration }',
  onToolExecutionEnd: 'hooks: { afterTool }',
  onToolExecutionStart: 'hooks: { beforeTool }',
  presencePenalty: 'settings: { presencePenalty }',
  providerOptions: 'settings: { providerOptions }',
  reasoning: 'settings: { reasoning }',
  runtimeContext: 'context',
  seed: 'settings: { seed }',
  stopSequences: 'settings: { stopSequences }',
  system: 'instructions',
  temperature: 'settings: { temperature }',
  timeout: 'stopWhen: timeout({ run, model, tool })',
  toolApproval: 'permissions: { ask: [names] }',
  toolChoice: 'settings: { toolChoice }',
  toolsContext: 'context',
  topK: 'settings: { topK }',
  topP: 'settings: { topP }',
};

/** The options that there are, by whose they are. */
export interface KnownOptions {
  /** Those of the call that is checked; `option: { member }` where only a member of one can be given. */
  readonly here: readonly string[];
  readonly ofAgent: readonly string[];
  readonly ofRun: readonly string[];
}

/** Refuses an option that has another name here, with that name and where it is given. */
export function refuseOtherNames(options: object, builder: string, known: KnownOptions): void {
  if (!isObject(options)) return;
  for (const option of Object.keys(options)) {
    const meant = known.here.includes(option) || !Object.hasOwn(otherNames, option) ? undefined : otherNames[option];
    const hint = meant === undefined ? undefined : hintOf(meant, known);
    if (hint === undefined) continue;
    throw new FullstopError('INVALID_OPTION', `${builder} has no option ${JSON.stringify(option)}: ${hint}.`, {
      issues: [{ code: 'unknown_field', path: option, message: `unknown option of ${builder}: ${hint}` }],
    });
  }
}

/** Undefined for an option that neither the call nor anything before it has. */
function hintOf(meant: string, { here, ofAgent, ofRun }: KnownOptions): string | undefined {
  const option = /^\w+/.exec(meant)?.[0] ?? '';
  if (here.includes(option) || here.includes(meant)) return `here it is ${meant}`;
  if (ofRun.includes(option)) return `here it is ${meant}, which is given to run(input, { ${option} })`;
  return ofAgent.includes(option) ? `here it is ${meant}, an option of defineAgent` : undefined;
}
