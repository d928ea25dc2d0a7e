import {
  category,
  describe,
  encode,
  isOpen,
  matchCategory,
  nextAction,
  outcome,
  type Termination,
  tagOf,
  terminations,
} from 'fullstop';
import { allDialects } from 'fullstop/dialects';

// What `npm run demo` shows: endings of every category, what to do about each, and one of them in every vocabulary.

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

const stopped = terminations.maxIterations({ limit: 25, used: 25 });
const width = Math.max(...allDialects.map((dialect) => dialect.title.length));
console.log(`\nThe same ending in every vocabulary: ${encode(stopped)}\n`);
for (const dialect of allDialects) {
  const { value, fidelity, lost } = dialect.encode(stopped);
  const remark = lost.length === 0 ? fidelity : `${fidelity}, loses ${lost.join(', ')}`;
  console.log(`${dialect.title.padEnd(width)} ${JSON.stringify(value)}  (${remark})`);
}
