import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import type { SqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { check, checkEqual } from '../../packages/fullstop/src/testing/check.js';
import { checkJournal } from '../../packages/fullstop/src/testing/check-journal.js';
import { workflowOfRun } from '../../packages/fullstop/src/workflow/load-workflow.js';

export interface StartedOrder {
  readonly runId: string;
  readonly items: readonly string[];
  /** The answers that were delivered at the gates, in order. */
  readonly chosen: string[];
}

export interface WorkflowCounts {
  readonly runs: number;
  readonly scripts: number;
  /** Scripts that ran again because their first result was never committed. */
  readonly repeated: number;
  readonly gates: number;
}

/** The executions of each script in order, by run and step. */
export type Executions = ReadonlyMap<string, readonly string[]>;

/** Reads what the scripts wrote down. One that began after its worker was dead is no repetition: nobody asked for it again. */
export function readExecutions(log: string): Executions {
  const workers = new Set([...log.matchAll(/^worker (\d+)$/gm)].map(([, pid]) => pid));
  const executions = new Map<string, string[]>();
  for (const line of log.split('\n')) {
    const [id, parent, ...place] = line.split(' ');
    if (id === undefined || parent === undefined || !workers.has(parent)) continue;
    const key = place.join(' ');
    executions.set(key, [...(executions.get(key) ?? []), id]);
  }
  return executions;
}

/** Checks every run against the laws, and what the scripts wrote down against what the journals hold. */
export async function verifyOrders(
  engine: SqliteEngine,
  started: readonly StartedOrder[],
  executions: Executions,
): Promise<WorkflowCounts> {
  let gates = 0;
  for (const order of started) {
    await verifyOrder(engine, order, executions);
    gates += order.chosen.length;
  }
  const scripts = [...executions.values()];
  const repeated = scripts.filter(({ length }) => length > 1).length;
  return { runs: started.length, scripts: scripts.length, repeated, gates };
}

async function verifyOrder(engine: SqliteEngine, order: StartedOrder, executions: Executions): Promise<void> {
  const { runId } = order;
  await checkJournal(engine, runId);
  const ending = await engine.ending(runId);
  checkEqual((await engine.verify(runId, ending?.headHash)).status, 'proved', `the chain of ${runId}`);
  checkEqual(ending?.termination, { kind: 'flow_completed', last: 'close' }, `the ending of ${runId}`);
  const journal = await engine.journal(runId);
  checkScripts(journal, order, executions);
  const last = (place: string): string | undefined => executions.get(`${runId} ${place}`)?.at(-1);
  const expected = {
    receive: last('receive'),
    packed: order.items.map((part) => last(`pack ${part}`)),
    shipped: { label: last('ship label'), note: last('ship note') },
    close: last('close'),
  };
  checkEqual(ending?.output, expected, `the output of ${runId} and the last execution of each of its scripts`);
  await verifyElsewhere(runId, journal, expected);
}

/** Every script result stands in the journal once, and it is that of the last execution: none ran again after it. */
function checkScripts(
  journal: readonly JournalEntry[],
  { runId, items, chosen }: StartedOrder,
  executions: Executions,
): void {
  const stored = journal.flatMap((entry) => {
    if (entry.type !== 'step_ended' || entry.key?.startsWith('script:') !== true || !entry.data.ok) return [];
    const { output } = entry.data.value as { readonly output: string };
    return [(JSON.parse(output) as { readonly id: string }).id];
  });
  const again = chosen.filter((value) => value === 'again').length;
  checkEqual(stored.length, items.length + 4 + again, `how many scripts of ${runId} have a result`);
  const own = [...executions].filter(([place]) => place.startsWith(`${runId} `));
  checkEqual(
    stored.toSorted(),
    own.map(([, ids]) => ids.at(-1)).toSorted(),
    `the results of ${runId} and what ran last`,
  );
  const answered = journal.filter(({ type }) => type === 'request_answered').length;
  check(answered === chosen.length, `${runId} took ${answered} answers of ${chosen.length}`);
}

/** The same journal gives the same result where nobody has ever run it. */
async function verifyElsewhere(runId: string, journal: readonly JournalEntry[], expected: unknown): Promise<void> {
  const elsewhere = memoryEngine();
  await elsewhere.importRun(journal);
  const workflow = await workflowOfRun(elsewhere, runId);
  const result = await workflow.result(runId, { engine: elsewhere });
  checkEqual(JSON.parse(result?.outputText ?? 'null'), expected, `the output of ${runId} elsewhere`);
}
