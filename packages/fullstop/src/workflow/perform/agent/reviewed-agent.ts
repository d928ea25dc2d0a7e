import type { Agent } from '../../../agent/agent.js';
import { defineAgent } from '../../../agent/define-agent.js';
import type { AnyAgentOptions } from '../../../agent/options/agent-options.js';
import { runInside, type UnitDetails } from '../../../agent/tools/unit-tool.js';
import { addUsd } from '../../../engines/port/money.js';
import { makeScope } from '../../../run/journal/scope-path.js';
import type { BodyResult, RunEnd, UnitResult } from '../../../run/run-context.js';
import { outcome } from '../../../termination/classify.js';
import type { Ending } from '../../../termination/ending.js';
import { isObject, type JsonValue } from '../../../termination/json.js';
import { terminations } from '../../../termination/terminations.js';
import { dialogUnit, makeDialogUnit, makeQuestionId, reviewedUnits } from '../../graph/workflow-key.js';
import type { UnitOutcome } from '../../machine/state.js';
import type { OutputField } from '../../schema/record-types.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import type { StepContext } from '../runtime.js';
import { answerOf, type MadeAgent, stepEnd } from './agent-outcome.js';
import { requirePrice, sharedOptions } from './agent-prices.js';
import { endingOfMissingKey } from './missing-key.js';
import { findModel } from './models.js';
import { outputSchema } from './output-schema.js';

interface Reviewed extends MadeAgent {
  readonly prompt: string;
}

/** The tokens and the cost of all calls of a step together, as far as it is known. */
interface Account {
  costUsd: number;
  tokens: number;
  estimated?: boolean;
  unpriced?: true;
}

/** An agent whose output a person may want to talk about, and a second model may judge. */
export async function reviewedAgent(step: AgentStep, given: StepContext, made: Reviewed): Promise<RunEnd<Ending>> {
  const account: Account = { costUsd: 0, tokens: 0 };
  const review: Review = { step, given, made, account };
  let result = await ask(review, reviewedUnits.agent, made.agent, made.prompt);
  if (!isDone(result)) return passedOn(given, reviewedUnits.agent, { result, account });
  if (step.dialog !== undefined && given.member === undefined && !given.state.skipGates) {
    const transcript = await talk(review, textOf(result));
    if (transcript !== undefined) {
      const again = await ask(review, reviewedUnits.afterDialog, made.agent, `${made.prompt}\n\n${transcript}`);
      if (isDone(again)) result = again;
    }
  }
  try {
    if (step.validator !== undefined) result = await validated(review, result);
  } catch (error) {
    const missing = endingOfMissingKey(error);
    if (missing === undefined) throw error;
    const output: UnitOutcome = { output: 'null', ...spentOf(account) };
    return { termination: missing, output };
  }
  const { termination, output } = stepEnd(step, result as RunEnd<Ending>);
  return { termination, output: withAccount(output, account) };
}

interface Review {
  readonly step: AgentStep;
  readonly given: StepContext;
  readonly made: Reviewed;
  readonly account: Account;
}

async function ask(review: Review, name: string, agent: Agent, prompt: string): Promise<UnitResult> {
  const { context } = review.given;
  const result = await context.child(name, (inner) => runInside(agent, inner, prompt) as Promise<BodyResult>);
  const { usage, costUsd = null, estimated = false } = (result.output ?? {}) as unknown as Partial<UnitDetails>;
  const { account } = review;
  account.tokens += usage?.totalTokens ?? 0;
  if (estimated) account.estimated = estimated;
  if (costUsd === null) account.unpriced = true;
  else account.costUsd = addUsd(account.costUsd, costUsd);
  return result;
}

function isDone({ termination }: UnitResult): boolean {
  const verdict = outcome(termination as Ending);
  return verdict === 'succeeded' || verdict === 'skipped';
}

function textOf(result: UnitResult): string {
  return answerOf(result as RunEnd<Ending>).text;
}

interface Failed {
  readonly result: UnitResult;
  readonly account: Account;
}

function passedOn({ context }: StepContext, name: string, { result, account }: Failed): RunEnd<Ending> {
  const child = { name, path: makeScope(context.scope, name) };
  const output: UnitOutcome = { output: 'null', ...spentOf(account) };
  return { termination: terminations.childFailed({ child, termination: result.termination }), output };
}

function withAccount(outcomeJson: JsonValue, account: Account): JsonValue {
  return { ...(outcomeJson as object), ...spentOf(account) } as JsonValue;
}

/** Nothing known is not the same as nothing spent. */
function spentOf(account: Account): Pick<UnitOutcome, 'costUsd' | 'tokens' | 'unpriced'> {
  const isUnknown = account.unpriced === true && account.costUsd === 0;
  return isUnknown ? { ...account, costUsd: null } : account;
}

/** An agent that answers with fields, for judgements about another one. */
function judge(review: Review, suffix: string, fields: Readonly<Record<string, OutputField>>): Agent {
  const { step, made } = review;
  const options: Partial<AnyAgentOptions> = {
    ...made.shared,
    name: `${step.name} (${suffix})`,
    model: made.model,
    output: outputSchema(new Map(Object.entries(fields))),
    repair: 1,
    allowUnknownPrices: true,
  };
  return defineAgent(options as AnyAgentOptions) as unknown as Agent;
}

function field(type: OutputField['type'], description: string, more: Partial<OutputField> = {}): OutputField {
  return { type, description, required: true, nullable: false, ...more } as OutputField;
}

/** A second call judges the output; when it finds something, the agent may try once more. */
async function validated(review: Review, first: UnitResult): Promise<UnitResult> {
  const { step, made } = review;
  const { criteria = '', max_retries: retries = 1 } = step.validator ?? {};
  const agent = judge({ ...review, made: await judgeOf(review) }, 'validator', {
    passed: field('boolean', 'Whether the output meets all criteria.'),
    issues: field('array', 'What is wrong, one text for each.', { items: field('string', 'One problem.') }),
  });
  const question = `Judge an output by criteria.\n\nCriteria:\n${criteria}\n\nTask:\n${made.prompt}\n\nOutput:\n${textOf(first)}`;
  const verdict = await ask(review, reviewedUnits.validator, agent, question);
  const issues = issuesIn(verdict);
  // A judge that cannot be heard does not stop the work.
  if (issues === undefined || retries === 0) return first;
  const feedback = `${made.prompt}\n\nValidation feedback:\n${issues.map((issue) => `- ${issue}`).join('\n')}`;
  const second = await ask(review, reviewedUnits.afterValidation, made.agent, feedback);
  return isDone(second) ? second : first;
}

/** Who judges, with a model and prices of their own where the file names one. */
async function judgeOf({ step, made, given }: Review): Promise<Reviewed> {
  const { model: wanted } = step.validator ?? {};
  if (wanted === undefined) return made;
  const { runtime } = given;
  const settings = runtime.provider.document.workflow.runtime.provider;
  const model =
    made.model.provider === 'scripted'
      ? made.model
      : await findModel({ provider: step.provider, model: wanted, settings }, runtime.environment);
  const shared = sharedOptions(runtime, model, wanted);
  requirePrice(runtime, model, shared);
  return { ...made, model, shared };
}

/** The issues that the judge found; undefined when it found nothing, or could not say. */
function issuesIn(verdict: UnitResult): readonly string[] | undefined {
  const judged = outputOf(verdict);
  if (!isDone(verdict) || judged?.['passed'] !== false) return undefined;
  const { issues } = judged;
  return Array.isArray(issues) ? issues.map(String) : ['The output does not meet the criteria.'];
}

function outputOf({ output }: UnitResult): Readonly<Record<string, unknown>> | undefined {
  const inner = ((output ?? {}) as unknown as Partial<UnitDetails>).output;
  return isObject(inner) ? inner : undefined;
}

const closingWords: ReadonlySet<string> = new Set([
  'done',
  'continue',
  'go ahead',
  'proceed',
  'resume',
  'exit',
  'quit',
  '/done',
  '/continue',
  '/exit',
]);
const readyMark = '[READY_TO_CONTINUE]';
const mostTurns = 50;

/** Talks to a person about an output, when the file says that this is the moment; undefined when nothing was said. */
async function talk(review: Review, text: string): Promise<string | undefined> {
  let question = await firstQuestion(review, text);
  const lines: string[] = [];
  for (let turn = 1; question !== undefined && turn <= mostTurns; turn += 1) {
    const said = await hear(review, question, turn);
    if (said === undefined) break;
    lines.push(`Agent: ${question}`, `User: ${said}`);
    const reply = await ask(review, makeDialogUnit(turn), speaker(review), transcriptOf(text, lines));
    const spoken: string = isDone(reply) ? textOf(reply) : readyMark;
    question = spoken.includes(readyMark) ? undefined : spoken;
    if (question === undefined) lines.push(`Agent: ${spoken.replace(readyMark, '').trim()}`);
  }
  return lines.length === 0 ? undefined : transcriptOf(text, lines);
}

/** The first question; undefined when there is nothing to talk about. */
async function firstQuestion(review: Review, text: string): Promise<string | undefined> {
  const evaluator = judge(review, 'dialog', {
    trigger: field('boolean', 'Whether to talk to the person now.'),
    reason: field('string', 'Why.'),
    question: field('string', 'What to ask first.'),
  });
  const asked = `${review.step.dialog?.trigger_prompt ?? ''}\n\nOutput:\n${text}`;
  const verdict = await ask(review, dialogUnit, evaluator, asked);
  const judged = outputOf(verdict);
  return isDone(verdict) && judged?.['trigger'] === true ? String(judged['question'] ?? '') : undefined;
}

/** The words of the person; undefined when they want to continue. */
async function hear({ given }: Review, question: string, turn: number): Promise<string | undefined> {
  const { context } = given;
  const id = makeQuestionId(context.scope, { subject: dialogUnit, turn: turn === 1 ? undefined : turn });
  const { value, decision } = await context.wait({ id, type: 'input', summary: question });
  const said = typeof value === 'string' ? value.trim() : '';
  return decision === 'deny' || closingWords.has(said.toLowerCase()) ? undefined : said;
}

function speaker({ step, made }: Review): Agent {
  const options: Partial<AnyAgentOptions> = {
    ...made.shared,
    name: `${step.name} (dialog)`,
    model: made.model,
    instructions: `You talk to a person about your output. End your reply with ${readyMark} when nothing is open.`,
    allowUnknownPrices: true,
  };
  return defineAgent(options as AnyAgentOptions) as unknown as Agent;
}

function transcriptOf(output: string, lines: readonly string[]): string {
  return `Your earlier output:\n${output}\n\nConversation with the user:\n${lines.join('\n')}`;
}
