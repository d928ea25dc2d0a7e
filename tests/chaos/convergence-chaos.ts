import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { memoryEngine } from '../../packages/fullstop/src/engines/memory/memory-engine.js';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import { type SqliteEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { check, checkEqual } from '../../packages/fullstop/src/testing/check.js';
import { checkJournal } from '../../packages/fullstop/src/testing/check-journal.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { root } from '../../scripts/published-packages.js';
import { purchase, work } from './convergence-body.js';
import { describeOpenRuns } from './describe-open-runs.js';
import { StallWatch } from './stall-watch.js';
import { Workers } from './workers.js';

export interface ConvergenceChaos {
  readonly kills: number;
  readonly runs: number;
  readonly approved: number;
  readonly rejected: number;
  readonly pauses: number;
}

interface Wanted {
  readonly seed: number;
  /** Kills continue until there were so many, and runs are started until there were so many. */
  readonly kills: number;
  readonly runs: number;
}

/** The operator's answers at each gate, by run and gate. */
type Decisions = Map<string, { readonly decision: 'approve' | 'deny'; readonly by: string }>;

/** Kills the workers of gated convergences while another process answers, then looks whether anything passed unapproved. */
export async function convergenceChaos(options: Wanted): Promise<ConvergenceChaos> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-convergence-'));
  const engine = sqliteEngine(join(folder, 'runs.db'), { pollMs: 20 });
  try {
    return await torment(engine, folder, options);
  } finally {
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

async function torment(engine: SqliteEngine, folder: string, options: Wanted): Promise<ConvergenceChaos> {
  const random = seededRandom(options.seed);
  const decisions: Decisions = new Map();
  const runs: string[] = [];
  const watch = new StallWatch(() =>
    describeOpenRuns(
      engine,
      runs.map((runId) => ({ runId })),
    ),
  );
  let kills = 0;
  const plan = {
    script: await buildWorker(),
    args: () => [join(folder, 'runs.db')],
    lifetime: () => (kills < options.kills ? 200 + Math.floor(random() ** 2 * 800) : undefined),
    onKilled: () => {
      kills += 1;
    },
  };
  const workers = new Workers(plan, 2);
  try {
    const isWanting = (): boolean => kills < options.kills || runs.length < options.runs;
    for (let open = 0; isWanting() || open > 0; await sleep(15)) {
      if (isWanting() && open < 12) {
        const runId = `purchase-${runs.length}`;
        runs.push(runId);
        await engine.start({
          runId,
          name: purchase.name,
          version: purchase.version,
          input: { lines: 1 + Math.floor(random() * 3) },
        });
      }
      open = await attend(engine, runs, decisions, random);
      await watch.note({ kills, started: runs.length, open });
    }
  } finally {
    await workers.stop();
  }
  const problems = workers.errors.filter((text) => !text.includes('ExperimentalWarning'));
  checkEqual(problems.slice(0, 3), [], 'what the workers complained about');
  const counts = { approved: 0, rejected: 0, pauses: 0 };
  for (const runId of runs) await verify(engine, runId, decisions, counts);
  return { kills, runs: runs.length, ...counts };
}

/** Answers some open gates, one at a time; returns how many runs have no final ending. */
async function attend(
  engine: SqliteEngine,
  runs: readonly string[],
  decisions: Decisions,
  random: () => number,
): Promise<number> {
  let open = 0;
  for (const runId of runs) {
    const ending = await engine.ending(runId);
    if (ending?.open === false) continue;
    open += 1;
    if (ending?.termination.kind === 'failed')
      await continueRun(engine, runId, ending.termination.error.code, ending.segment);
    if (ending?.category !== 'paused') continue;
    const [request] = await engine.openRequests(runId);
    if (request === undefined) continue;
    const decision = random() < 0.7 ? 'approve' : 'deny';
    const by = `operator ${decisions.size}`;
    const receipt = await engine.answer(runId, request.id, { decision, by });
    if (receipt.status === 'delivered') decisions.set(`${runId} ${request.id}`, { decision, by });
  }
  return open;
}

/** The only failure that chaos may cause is that of a run whose owners all died at once. */
async function continueRun(
  engine: SqliteEngine,
  runId: string,
  code: string | undefined,
  after: number,
): Promise<void> {
  checkEqual(code, 'CRASH_LOOP', `why ${runId} failed`);
  await engine.reopen({ runId, after, because: 'resume', by: 'operator' });
}

interface Counted {
  approved: number;
  rejected: number;
  pauses: number;
}

async function verify(engine: SqliteEngine, runId: string, decisions: Decisions, counts: Counted): Promise<void> {
  await checkJournal(engine, runId);
  const { status } = await engine.verify(runId, (await engine.ending(runId))?.headHash);
  checkEqual(status, 'proved', `the chain of ${runId}`);
  const journal = await engine.journal(runId);
  const result = await purchase.result(runId, { engine });
  check(result !== undefined, `${runId} has a result`);
  checkEqual(result?.termination.kind, 'converged', `the ending of ${runId}`);
  const facts = result?.facts.all() ?? [];
  for (const { ref, key, approval } of facts) {
    if (key !== 'price' && key !== 'payment') continue;
    const said = decisions.get(`${runId} ${approval?.gateId}`);
    checkEqual(said, { decision: 'approve', by: approval?.by ?? '' }, `who let ${ref} of ${runId} pass`);
    counts.approved += 1;
  }
  for (const { ref, type, gate } of result?.rejections ?? []) {
    if (type !== 'human') continue;
    checkEqual(decisions.get(`${runId} ${gate}`)?.decision, 'deny', `what was said to ${ref} of ${runId}`);
    check(!facts.some((fact) => fact.ref === ref), `${ref} of ${runId} was rejected and is a fact`);
    counts.rejected += 1;
  }
  checkEqual(
    promotedIn(journal),
    facts.map(({ ref }) => ref),
    `the facts of ${runId} and those in its cycle entries`,
  );
  counts.pauses += journal.filter(
    (entry) => entry.type === 'segment_ended' && entry.data.envelope.category === 'paused',
  ).length;
  await verifyElsewhere(runId, journal, result?.root);
}

/** The same journal gives the same root where nobody has ever run it. */
async function verifyElsewhere(
  runId: string,
  journal: readonly JournalEntry[],
  expected: string | undefined,
): Promise<void> {
  const elsewhere = memoryEngine();
  await elsewhere.importRun(journal);
  checkEqual((await purchase.result(runId, { engine: elsewhere }))?.root, expected, `the root of ${runId} elsewhere`);
}

function promotedIn(journal: readonly JournalEntry[]): readonly string[] {
  return journal.flatMap((entry) => {
    if (entry.type !== 'recorded' || !entry.data.ok || entry.key?.startsWith('cycle ') !== true) return [];
    return (entry.data.value as { readonly promoted: readonly string[] }).promoted;
  });
}

async function buildWorker(): Promise<string> {
  const outdir = join(root, '.cache', 'chaos');
  mkdirSync(outdir, { recursive: true });
  const outfile = join(outdir, 'convergence-worker.js');
  await build({
    stdin: {
      contents: `import { ${work.name} } from './convergence-body.js';\n${work.name}(process.argv[2] ?? '');\n`,
      resolveDir: join(root, 'tests', 'chaos'),
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['libsql'],
    logLevel: 'error',
  });
  return outfile;
}
