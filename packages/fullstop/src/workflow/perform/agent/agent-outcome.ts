import type { Agent } from '../../../agent/agent.js';
import type { UnitDetails } from '../../../agent/tools/unit-tool.js';
import type { LanguageModel } from '../../../models/language-model.js';
import type { ModelPrice } from '../../../run/accounts/price.js';
import type { RunEnd } from '../../../run/run-context.js';
import type { Secrets } from '../../../run/secrets/secrets.js';
import { readJsonText } from '../../../template/json-text.js';
import { outcome } from '../../../termination/classify.js';
import type { Ending } from '../../../termination/ending.js';
import type { JsonValue } from '../../../termination/json.js';
import type { AnyTermination } from '../../../termination/kinds.js';
import { terminations } from '../../../termination/terminations.js';
import type { UnitOutcome } from '../../machine/state.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import { type AgentAnswer, answerText } from '../human/answer-text.js';
import { checkOutput } from '../values/check-output.js';

/** An agent and the model that it asks. */
export interface MadeAgent {
  readonly agent: Agent;
  readonly model: LanguageModel;
  /** Shared by everyone who is asked for the step: prices, and values that journals must not hold. */
  readonly shared: SharedOptions;
}

export interface SharedOptions {
  readonly prices: Readonly<Record<string, ModelPrice>>;
  readonly secrets?: Secrets;
}

/** The words of an agent that is done: those of its model, or what it has submitted, as JSON where that is no text. */
export function answerOf({ termination, output: details }: RunEnd<Ending>): AgentAnswer {
  const { text = '', structured = false, output } = (details ?? {}) as Partial<UnitDetails>;
  if ((termination as AnyTermination).kind !== 'submitted' || output === undefined) return { text, structured };
  return typeof output === 'string'
    ? { text: output, structured: false }
    : { text: JSON.stringify(output), structured: true };
}

/** The end of a step as its agent ended, with its output and what it used. What does not fit the declared fields is no output, however it was given. */
export function stepEnd(step: AgentStep, ended: RunEnd<Ending>): RunEnd<Ending> & { readonly output: JsonValue } {
  const { termination, output } = ended;
  const { usage, costUsd = null, estimated = false } = (output ?? {}) as Partial<UnitDetails>;
  const verdict = outcome(termination);
  const isDone = verdict === 'succeeded' || verdict === 'skipped';
  const answer = isDone ? answerText(step, answerOf(ended)) : 'null';
  const misfit = (termination as AnyTermination).kind === 'submitted' ? misfitOf(step, answer) : undefined;
  const kept: UnitOutcome = {
    output: misfit === undefined ? answer : 'null',
    costUsd,
    tokens: usage?.totalTokens ?? 0,
    ...(estimated && { estimated }),
  };
  return { ...ended, termination: misfit ?? termination, output: kept as unknown as JsonValue };
}

/** The ending of a step whose agent has submitted something else than the fields that it declares; the loop has checked other answers. */
function misfitOf({ output_mode: mode, output: fields }: AgentStep, answer: string): Ending | undefined {
  if (mode === 'raw' || fields === undefined || fields.size === 0) return undefined;
  const violations = checkOutput(readJsonText(answer), fields);
  if (violations.length === 0) return undefined;
  return terminations.schemaValidation({ violations, received: JSON.parse(answer) as JsonValue });
}
