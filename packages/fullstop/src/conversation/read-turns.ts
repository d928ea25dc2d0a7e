import { sizeAfter } from '../agent/prompt-tokens.js';
import type { ConversationPlace } from '../engines/port/conversation-place.js';
import type { Engine, RunSummary } from '../engines/port/engine.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { Turn } from './conversation.js';
import { makeTurnId, readTurnStart, type TurnStart } from './turn-start.js';

/** A run that is a turn. */
export type TurnSummary = RunSummary & { readonly conversation: ConversationPlace };

/** The latest turn. The newest in a list is not enough: processes have clocks of their own. */
export async function readLatest(engine: Engine, id: string): Promise<TurnSummary | undefined> {
  const { runs } = await engine.list({ conversation: id, limit: 20 });
  let latest = runs.filter(isTurn).reduce<TurnSummary | undefined>(later, undefined);
  for (;;) {
    const next = await engine.summary(makeTurnId(id, (latest?.conversation.turn ?? 0) + 1));
    if (next === undefined || !isTurn(next)) return latest;
    latest = next;
  }
}

export async function readTurn(engine: Engine, id: string, turn: number): Promise<TurnSummary> {
  const found = await engine.summary(makeTurnId(id, turn));
  if (found !== undefined && isTurn(found)) return found;
  throw new FullstopError(
    'INVALID_OPTION',
    `The conversation ${JSON.stringify(id)} has no turn ${JSON.stringify(turn)}; its turns are numbered from 1 in the order of their starts.`,
  );
}

/** The messages that a turn was started with. */
export async function readStart(engine: Engine, runId: string): Promise<TurnStart> {
  const [first] = await engine.journal(runId, { limit: 1 });
  return first?.type === 'run_started' ? readTurnStart(first.data) : { before: [], said: [] };
}

/** The size of the conversation after a turn, in tokens; 0 where no model has told. */
export async function readSize(engine: Engine, runId: string): Promise<number> {
  return sizeAfter(await engine.journal(runId, { types: ['step_ended'], newest: lastSteps }));
}

/** After the last answer of a turn come at most the calls of one round. */
const lastSteps = 100;

/** All turns in the order of their starts. */
export async function readTurns(engine: Engine, id: string): Promise<readonly Turn[]> {
  const found: TurnSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await engine.list({ conversation: id, limit: 1000, ...(cursor !== undefined && { cursor }) });
    found.push(...page.runs.filter(isTurn));
    cursor = page.next;
  } while (cursor !== undefined);
  found.sort((one, other) => one.conversation.turn - other.conversation.turn);
  const current = currentBranch(found);
  const starts = await Promise.all(found.map(({ runId }) => readStart(engine, runId)));
  return found.map((turn, index) => ({
    ...turn,
    said: (starts[index] as TurnStart).said,
    isCurrent: current.has(turn.runId),
  }));
}

/** The latest turn and those before it. */
function currentBranch(turns: readonly TurnSummary[]): ReadonlySet<string> {
  const byRun = new Map(turns.map((turn) => [turn.runId, turn]));
  const branch = new Set<string>();
  for (let turn = turns.at(-1); turn !== undefined; ) {
    branch.add(turn.runId);
    const after = turn.conversation.after?.runId;
    turn = after === undefined ? undefined : byRun.get(after);
  }
  return branch;
}

function isTurn(run: RunSummary): run is TurnSummary {
  return run.conversation !== undefined;
}

function later(one: TurnSummary | undefined, other: TurnSummary): TurnSummary {
  return one === undefined || other.conversation.turn > one.conversation.turn ? other : one;
}
