import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  category,
  defineRun,
  describe,
  encode,
  end,
  isOpen,
  matchCategory,
  nextAction,
  outcome,
  type Termination,
  tagOf,
  terminations,
} from 'fullstop';
import { allDialects } from 'fullstop/dialects';
import { sqliteEngine } from 'fullstop/engines/sqlite';

// What `npm run demo` shows: endings of every category, what to do about each, a durable run that stops at a limit, pauses for
// a person and is taken up by another engine on the same file, and one ending in every vocabulary.

const endings: readonly Termination[] = [
  terminations.naturalEnd(),
  terminations.interactionPending({
    requests: [{ id: 'call_7', path: 'deploy', type: 'approval', tool: 'deploy', input: { version: '2.4' } }],
  }),
  terminations.costBudget({ limitUsd: 2.5, usedUsd: 2.53 }),
  terminations.loopDetected({ cycle: [{ tool: 'search', input: { query: 'suppliers' } }], repeats: 3 }),
  terminations.providerFailed({ status: 429, attempts: 3, retryAfterMs: 2000 }),
  terminations.cancelled({ by: 'signal', reason: 'SIGTERM' }),
  terminations.childFailed({
    child: { name: 'refund', path: 'triage/refund' },
    termination: terminations.terminated({ status: 'failed', reason: 'order is older than 90 days', by: 'refund' }),
  }),
];

const marks = { success: '✓', paused: '⏸', cancelled: '○', capacity: '▲', retryable: '↻', fatal: '✗' } as const;

console.log('Why it stopped, and what to do next\n');
for (const ending of endings) {
  console.log(`${marks[category(ending)]} ${describe(ending)}`);
  console.log(
    `    tag ${tagOf(ending)} · ${category(ending)} · ${outcome(ending)} · ${isOpen(ending) ? 'open' : 'closed'}`,
  );
  console.log(`    next: ${nextAction(ending)}`);
}

console.log('\nOne decision for six categories\n');
for (const ending of endings) {
  const decision = matchCategory(ending, {
    success: () => 'publish',
    paused: (t) => `notify someone (${t.kind})`,
    cancelled: () => 'nothing',
    capacity: () => 'raise the limit and resume',
    retryable: () => 'put it back into the queue',
    fatal: () => 'page an operator',
  });
  console.log(`${tagOf(ending).padEnd(20)} → ${decision}`);
}

console.log('\nA run that stops, pauses and goes on, in one SQLite file\n');
const folder = mkdtempSync(join(tmpdir(), 'fullstop-demo-'));
const file = join(folder, 'runs.db');
const invoices = defineRun({
  name: 'invoices',
  limits: { steps: 3 },
  run: async (context, months: readonly string[]) => {
    let total = 0;
    for (const month of months) total += await context.step(`collect ${month}`, () => collect(month));
    const answer = await context.wait({ id: 'pay', type: 'approval', summary: `Pay ${total} EUR?`, tool: 'pay' });
    if (answer.decision !== 'approve')
      return terminations.terminated({ status: 'failed', reason: 'denied', by: 'pay' });
    await context.step('pay', () => console.log(`    pays ${total} EUR, once`), { once: true });
    return end(terminations.flowCompleted({ last: 'pay' }), { total, approvedBy: answer.by });
  },
});

function collect(month: string): number {
  console.log(`    collects ${month}`);
  return month.length * 100;
}

const first = sqliteEngine(file);
const limited = await invoices.run(['January', 'February', 'March', 'April'], { engine: first, runId: 'invoices-1' });
console.log(`▲ ${limited.summary} ${limited.nextAction}`);
const paused = await limited.resume({ limits: { steps: 20 } });
console.log(`⏸ ${paused.summary} ${paused.nextAction}`);
await first.close();

const second = sqliteEngine(file);
const done = await invoices.resume('invoices-1', {
  engine: second,
  answers: { pay: { decision: 'approve', by: 'maria' } },
});
console.log(`✓ ${done.summary} Output: ${JSON.stringify(done.output)}, segment ${done.segment} of the same run.`);
console.log(`  the journal is ${(await second.verify('invoices-1', done.headHash)).status} against its head hash`);
await second.close();
rmSync(folder, { recursive: true });

const stopped = terminations.maxIterations({ limit: 25, used: 25 });
const width = Math.max(...allDialects.map((dialect) => dialect.title.length));
console.log(`\nThe same ending in every vocabulary: ${encode(stopped)}\n`);
for (const dialect of allDialects) {
  const { value, fidelity, lost } = dialect.encode(stopped);
  const remark = lost.length === 0 ? fidelity : `${fidelity}, loses ${lost.join(', ')}`;
  console.log(`${dialect.title.padEnd(width)} ${JSON.stringify(value)}  (${remark})`);
}
