import type { Agent } from '../../packages/fullstop/src/agent/agent.js';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import type { SqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { check, checkEqual } from '../../packages/fullstop/src/testing/check.js';
import { checkJournal } from '../../packages/fullstop/src/testing/check-journal.js';
import { callsOf } from './agent-bodies.js';
import type { LogLine, Mark } from './effect-log.js';

export interface AgentCounts {
  readonly runs: number;
  readonly effects: number;
  readonly repeated: number;
  readonly approvals: number;
  /** Approved calls whose outcome was lost, and that a person was asked about. */
  readonly lostOutcomes: number;
}

export interface StartedAgent {
  readonly runId: string;
  readonly rounds: number;
  readonly agent: Agent;
}

/** Checks every run against what its tools left in the log. */
export async function verifyAgents(
  engine: SqliteEngine,
  started: readonly StartedAgent[],
  lines: readonly LogLine[],
): Promise<AgentCounts> {
  const journals: JournalEntry[] = [];
  for (const { runId, rounds, agent } of started) {
    await checkJournal(engine, runId);
    const { status } = await engine.verify(runId, (await engine.ending(runId))?.headHash);
    checkEqual(status, 'proved', `the chain of ${runId}`);
    const result = await agent.result(runId, { engine });
    checkEqual(result?.termination, { kind: 'natural_end' }, `the ending of ${runId}`);
    checkEqual(result?.toolCalls.length, callsOf(rounds), `the calls of ${runId}`);
    checkEqual(result?.output, `${rounds} rounds are done`, `the output of ${runId}`);
    journals.push(...(await engine.journal(runId)));
  }
  const executions = executionsIn(lines);
  checkExecutions(executions, storedMarks(journals), journals);
  return {
    runs: started.length,
    effects: [...executions.values()].reduce((sum, ids) => sum + ids.length, 0),
    repeated: [...executions.values()].reduce((sum, ids) => sum + ids.length - 1, 0),
    approvals: checkApprovals(journals),
    lostOutcomes: lostOutcomes(journals).length,
  };
}

function executionsIn(lines: readonly LogLine[]): ReadonlyMap<string, readonly string[]> {
  const executions = new Map<string, string[]>();
  for (const line of lines) {
    if (line.type === 'effect') executions.set(line.place, [...(executions.get(line.place) ?? []), line.id]);
  }
  return executions;
}

function storedMarks(journal: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const stored = new Map<string, string>();
  for (const entry of journal) {
    if (entry.type !== 'step_ended' || !entry.data.ok) continue;
    const { output } = (entry.data.value ?? {}) as { output?: { value?: Partial<Mark> } };
    const { place, id } = output?.value ?? {};
    if (place !== undefined && id !== undefined) stored.set(place, id);
  }
  return stored;
}

/** No tool whose result is journalled runs again; an approved one runs once at most, and if its result was lost a person was asked. */
function checkExecutions(
  executions: ReadonlyMap<string, readonly string[]>,
  stored: ReadonlyMap<string, string>,
  journal: readonly JournalEntry[],
): void {
  const confirmed = new Set(lostOutcomes(journal).map(({ runId, scope, ordinal }) => `${runId}:${scope}:${ordinal}:`));
  for (const [place, ids] of executions) {
    const committed = stored.get(place);
    if (committed !== undefined) checkEqual(ids.at(-1), committed, `the last execution of ${place}`);
    if (!place.startsWith('charge ')) continue;
    checkEqual(ids.length, 1, `executions of ${place}`);
    const asked = [...confirmed].some((prefix) => place.startsWith(`charge ${prefix}`));
    check(committed !== undefined || asked, `the outcome of ${place} was lost and nobody was asked`);
  }
}

function lostOutcomes(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  return journal.filter((entry) => entry.type === 'request_opened' && entry.data.request.type === 'confirm_outcome');
}

/** Every approval is asked for once and answered once. */
function checkApprovals(journal: readonly JournalEntry[]): number {
  const places = (type: JournalEntry['type']): readonly string[] =>
    journal
      .filter((entry) => entry.type === type && entry.key?.startsWith('request:') === true)
      .map(({ runId, scope, ordinal, key }) => `${runId}:${scope}:${ordinal}:${key}`);
  const [opened, answered] = [places('request_opened'), places('request_answered')];
  checkEqual(new Set(opened).size, opened.length, 'approvals that were asked for');
  checkEqual(new Set(answered).size, answered.length, 'approvals that were answered');
  checkEqual(answered.length, opened.length, 'answers to approvals');
  return answered.length;
}
