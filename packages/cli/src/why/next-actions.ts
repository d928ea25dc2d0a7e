import { type AnyTermination, type Envelope, type OpenRequest, rootCause, type Termination } from 'fullstop';
import type { RunSummary } from 'fullstop/engine';
import { duration } from '../journal/number-text.js';
import { shellWord } from '../terminal/shell-word.js';
import type { NextAction } from './explanation.js';
import { overdueRequests } from './overdue-requests.js';
import { answersOf, isTextSchema } from './request-question.js';

export interface NextQuestion {
  readonly summary: RunSummary;
  readonly ending: Envelope | undefined;
  readonly requests: readonly OpenRequest[];
  /** Whether the store holds everything that is needed to execute it. */
  readonly isWorkflow: boolean;
  /** Whether it ended in a convergence, which has no model to guide. */
  readonly isConvergence?: boolean;
  /** The store, where it was named on the command line. */
  readonly store?: string | undefined;
}

/** The next actions for a run, most useful first, as commands to copy: in the folder where this one was typed, they find the same store. */
export function nextActions(question: NextQuestion): readonly NextAction[] {
  const { store } = question;
  const runId = shellWord(question.summary.runId);
  const ending = question.ending && { ...question.ending, runId };
  const actions = actionsFor({ ...question, summary: { ...question.summary, runId }, ending });
  return actions.map((action) => withStoreOption(action, store));
}

/** The command with the store that was named, which it would not find by itself. */
export function withStoreOption(action: NextAction, store: string | undefined): NextAction {
  if (store === undefined || action.command === undefined) return action;
  return { ...action, command: `${action.command} --store ${shellWord(store)}` };
}

function actionsFor(question: NextQuestion): readonly NextAction[] {
  const { summary, ending, requests, isWorkflow } = question;
  const { runId, state } = summary;
  if (ending === undefined && summary.orphaned === true) return orphaned(runId, isWorkflow);
  if (ending === undefined) return state === 'ready' ? ready(runId) : underWay(summary, requests);
  if (ending.category === 'paused')
    return [
      ...requests.map((request) => answerAction(runId, request)),
      ...expiryActions(question),
      ...unaskedActions(ending),
      cancelAction(runId),
    ];
  if (!ending.open) return closed(ending, isWorkflow);
  return open(ending, question);
}

function ready(runId: string): readonly NextAction[] {
  return [
    { text: 'It is ready and no worker has claimed it; to continue it here', command: `fullstop resume ${runId}` },
  ];
}

function orphaned(runId: string, isWorkflow: boolean): readonly NextAction[] {
  const again: NextAction = isWorkflow
    ? { text: 'To continue it here, where it was', command: `fullstop resume ${runId}` }
    : { text: 'A worker of its own program continues it' };
  return [again, cancelAction(runId)];
}

function underWay({ runId, silentSince }: RunSummary, requests: readonly OpenRequest[]): readonly NextAction[] {
  const watched = silentSince === undefined ? 'It is running; to watch it' : 'To see whether it continues';
  return [
    ...requests.map((request) => answerAction(runId, request)),
    { text: watched, command: `fullstop events ${runId} --follow` },
    cancelAction(runId),
  ];
}

/** Once nobody can answer any more, whoever continues the run applies what follows from that. */
function expiryActions({ summary: { runId }, ending, requests, isWorkflow }: NextQuestion): readonly NextAction[] {
  const overdue = ending === undefined || requests.length > 0 ? [] : overdueRequests(ending);
  if (overdue.length === 0) return [];
  const passed = `The time for ${overdue.map(({ id }) => id).join(', ')} has passed`;
  return isWorkflow
    ? [{ text: `${passed}; to continue as the file says`, command: `fullstop resume ${runId}` }]
    : [{ text: `${passed}. A worker of its own program continues it` }];
}

export function answerAction(runId: string, request: OpenRequest): NextAction {
  const [choice] = answersOf(request);
  const flag = answerFlag(request, choice);
  return { text: `To answer ${request.id}`, command: `fullstop answer ${runId} ${shellWord(request.id)} ${flag}` };
}

function answerFlag({ type, schema }: OpenRequest, choice: string | undefined): string {
  if (choice !== undefined) return `--choose ${shellWord(choice)}`;
  if (type === 'client_tool') return isTextSchema(schema) ? '--value TEXT' : '--value-json JSON';
  return type === 'input' ? '--value TEXT' : '--approve';
}

/** The actions that continue a run which waits for a person without a question. A criterion that names no reference is settled by its id. */
function unaskedActions({ runId, termination }: Envelope): readonly NextAction[] {
  const cause = rootCause(termination);
  if (cause.kind === 'gate_pending' || cause.kind === 'interaction_pending') return [];
  if (cause.kind !== 'human_intervention_required')
    return [{ text: 'When a person has decided about it', command: `fullstop resume ${runId}` }];
  const { approvalRefs, criteria } = cause;
  const flags = (approvalRefs.length > 0 ? approvalRefs : criteria).map((ref) => `--settled ${shellWord(ref)}`);
  return [{ text: 'When it is settled', command: `fullstop resume ${runId} ${flags.join(' ')}` }];
}

function cancelAction(runId: string): NextAction {
  return { text: 'To cancel it', command: `fullstop cancel ${runId}` };
}

function closed({ runId, category }: Envelope, isWorkflow: boolean): readonly NextAction[] {
  if (category === 'success')
    return [{ text: 'Nothing has to be done. What it did', command: `fullstop show ${runId}` }];
  if (!isWorkflow) return [{ text: 'An explicit end is final. Its own program can start a new run' }];
  return [{ text: 'An explicit end is final. To run again', command: `fullstop retry ${runId}` }];
}

const outOfCircles =
  'Its own program can steer it with new facts, resume(runId, { facts }); unchanged it may reach the same ending';

function open(ending: Envelope, { isWorkflow, isConvergence = false }: NextQuestion): readonly NextAction[] {
  const { runId, nextAction, category, retryAfterMs } = ending;
  const cause = rootCause(ending.termination);
  const again: NextAction = isWorkflow
    ? { text: 'To start over instead', command: `fullstop retry ${runId}` }
    : { text: 'A worker of its own program then continues it' };
  if (category === 'retryable') {
    const when = retryAfterMs === undefined ? '' : ` in ${duration(retryAfterMs)} or later`;
    return [{ text: `Try again${when}`, command: `fullstop resume ${runId}` }, again];
  }
  if (isWorkflow && cause.kind === 'failed' && cause.error.code === 'UNKNOWN_PRICE')
    return [...priceActions(runId, cause), again];
  if (isWorkflow && isAboutModel(cause))
    return [
      {
        text: 'Continue with a model that is available',
        command: `fullstop resume ${runId} --provider NAME --model MODEL`,
      },
      again,
    ];
  if (isWorkflow && cause.kind === 'prompt_too_long')
    return [
      { text: 'Continue with a model that has a larger window', command: `fullstop resume ${runId} --model MODEL` },
      again,
    ];
  if (isWorkflow && isInFile(cause))
    return [{ text: 'Fix the file, then continue with it', command: `fullstop resume ${runId} --use-current` }, again];
  if (isConvergence && cause.kind === 'loop_detected')
    return [{ text: outOfCircles, command: `fullstop resume ${runId}` }, again];
  const flags = raisedLimit(cause, isWorkflow);
  return [
    { text: withoutStop(nextAction), command: `fullstop resume ${runId}${flags === '' ? '' : ` ${flags}`}` },
    again,
  ];
}

/** A step of the file takes its prices from there; the agent of a module has those of its own code. */
function priceActions(runId: string, { error }: Termination<'failed'>): readonly NextAction[] {
  const allowed = `fullstop resume ${runId} --allow-unknown-prices`;
  if (error.name !== 'ProviderError')
    return [{ text: 'Give the model a price in the code of its agent, or continue without one', command: allowed }];
  return [
    {
      text: 'Give the model a price under cost.pricing of the file, then continue with it',
      command: `fullstop resume ${runId} --use-current`,
    },
    { text: 'To continue without a price', command: allowed },
  ];
}

/** Nothing is wrong with a file whose model is not available here. */
function isAboutModel(cause: AnyTermination): boolean {
  return cause.kind === 'failed' && cause.errorClass === 'configuration' && cause.error.name === 'ProviderError';
}

/** Failures that come from the file, and that happen again unless the file is changed. */
function isInFile(cause: AnyTermination): boolean {
  switch (cause.kind) {
    case 'failed':
      return cause.errorClass === 'configuration';
    case 'time_budget':
      return isOfPart(cause);
    case 'no_route':
    case 'max_tool_calls':
    case 'budget_pressure':
      return true;
    default:
      return false;
  }
}

const guidance = '--guidance "WHAT TO DO DIFFERENTLY"';

/** The options that let a run continue beyond the limit that ended it. */
function raisedLimit(cause: AnyTermination, isWorkflow: boolean): string {
  switch (cause.kind) {
    case 'max_iterations':
      return `${cause.unit === 'step' && !isWorkflow ? '--steps' : '--max-iterations'} ${twice(cause.limit, cause.used)}`;
    case 'max_tool_calls':
      return `--max-tool-calls ${twice(cause.limit, cause.used)}`;
    case 'token_budget':
      return `--tokens ${twice(cause.limit, cause.used)}`;
    case 'cost_budget':
      return `--cost ${Number(twice(cause.limitUsd, cause.usedUsd).toPrecision(3))}`;
    case 'cycle_budget':
      return `--max-cycles ${twice(cause.limit, cause.used)}`;
    case 'fact_budget':
      return `--max-facts ${twice(cause.limit, cause.used)}`;
    case 'time_budget':
      return isOfPart(cause) ? '' : `--timeout ${Math.ceil(twice(cause.limitMs, cause.elapsedMs) / 1000)}s`;
    case 'output_truncated':
      return cause.cap === undefined ? '--guidance "ANSWER BRIEFLY"' : `--max-output-tokens ${cause.cap * 2}`;
    case 'structured_output_exhausted':
      return `--repair ${cause.attempts * 2}`;
    case 'gate_expired':
      return `--deadline ${shellWord(cause.gateId)}=1d`;
    case 'budget_pressure':
      return '--without budgetPressure';
    case 'agent_refused':
      return cause.by === 'suggestor' ? '' : guidance;
    case 'loop_detected':
    case 'stall_detected':
    case 'no_progress':
    case 'consecutive_errors':
    case 'consecutive_mistakes':
      return guidance;
    default:
      return '';
  }
}

/** True for a limit of a single call or iteration, which only the file or the program can change. */
function isOfPart({ scope }: Termination<'time_budget'>): boolean {
  return scope === 'iteration' || scope === 'model' || scope === 'tool';
}

/** Room for as much again, also where more was used than allowed. */
function twice(limit: number, used: number): number {
  return limit * 2 > used ? limit * 2 : used * 2;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
