import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { AnswerRules } from '../../run/changes/refuse-same-answer.js';
import { makePart, makeScope, parsePart, parseScope } from '../../run/journal/scope-path.js';
import type { StopCondition } from '../../stop/condition.js';
import type { ToolNames } from '../../stop/refuse-idle-conditions.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { builtIns } from '../../termination/registry.js';
import { isCallUnitOf, isModelKey } from '../machine/agent-key.js';

/** An agent, as far as it may hand over or be handed something. */
export interface HandingAgent {
  /** The agents to which it hands over, by the names of its tools. */
  readonly targets: ReadonlyMap<string, object>;
  readonly stopWhen: readonly StopCondition<string>[];
  readonly answers: AnswerRules;
  readonly tools: ToolNames;
  /** The custom conditions that it knows. */
  custom(): readonly StopCondition<string>[];
  /** Keeps the code of conditions that a resume brings along: the journal has their names only. */
  remember(conditions: readonly StopCondition<string>[]): void;
}

/** A member of the agent, not a map beside it: what it leads to would be kept until a full collection. */
const handing: unique symbol = Symbol('handing agent');

export function knowHandOffs(agent: object, known: HandingAgent): void {
  Object.defineProperty(agent, handing, { value: known });
}

/** Who is at work in a run, and the path of its unit, which is empty for the agent of the run itself. */
export interface AgentAtWork {
  readonly agent: HandingAgent;
  readonly path: string;
  /** True when a budget of this agent cut off the one that it had handed over to: larger ones are for this one. */
  readonly hasCut?: boolean;
}

/** Follows the hand-offs of a journal to the agent that is at work, or was when the run ended, from the first one at its path. */
export function agentAtWork(first: HandingAgent, journal: readonly JournalEntry[], path = ''): AgentAtWork {
  let work: AgentAtWork = { agent: first, path };
  for (;;) {
    const next = handedOver(work, journal);
    if (next === undefined) return work;
    if (next.hasCut === true) return { ...work, hasCut: true };
    work = next;
  }
}

/** True for the path of a unit that only hand-offs lead to: whoever works there has, or had, the conversation of the run. */
export function isHandedOver(first: HandingAgent, path: string): boolean {
  let agent: HandingAgent | undefined = first;
  for (const part of parseScope(path)) {
    if (agent === undefined) return false;
    agent = targetOf(agent, parsePart(part).name);
  }
  return path !== '' && agent !== undefined;
}

/** The agent that has the conversation in a unit; undefined for a unit that is no hand-off. */
function targetOf({ targets }: HandingAgent, unit: string): HandingAgent | undefined {
  const [, target] = [...targets].find(([tool]) => isCallUnitOf(tool, unit)) ?? [];
  return (target as { readonly [handing]?: HandingAgent } | undefined)?.[handing];
}

/** The agent that has the conversation from this one; undefined when it has it itself. */
function handedOver({ agent, path }: AgentAtWork, journal: readonly JournalEntry[]): AgentAtWork | undefined {
  const own = journal.filter(({ scope }) => scope === path);
  // A hand-off after which the model was asked again came to nothing.
  const asked = own.findLastIndex(({ type, key = '' }) => type === 'step_ended' && isModelKey(key));
  const opened = own.slice(asked + 1).findLast(({ type }) => type === 'scope_opened');
  const { key = '' } = opened ?? {};
  const next = targetOf(agent, key);
  if (next === undefined) return undefined;
  // Models may give two calls one id: then each has a visit of its own.
  const visits = own.filter((entry) => entry.type === 'scope_opened' && entry.key === key && entry.data.attempt === 1);
  const ended = own.findLast((entry) => entry.type === 'unit_ended' && entry.key === key);
  const hasCut = ended !== undefined && isCutByBudget(ended as JournalEntry<'unit_ended'>);
  return { agent: next, path: makeScope(path, makePart({ name: key, visit: visits.length })), hasCut };
}

function isCutByBudget({ data: { termination } }: JournalEntry<'unit_ended'>): boolean {
  if (termination.kind !== 'cancelled' || termination.by !== 'parent' || termination.cause === undefined) return false;
  return builtIns.find(termination.cause.kind)?.category(termination.cause) === 'capacity';
}

/** The model that would read it is not asked before the budget is larger, and then it is that of another agent. */
export function refuseGuidanceInVain({ hasCut }: AgentAtWork, runId: string): void {
  if (hasCut !== true) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The run ${runId} ended by a budget of the agent that handed over, which reads no guidance any more. Resume it with a larger budget alone.`,
  );
}
