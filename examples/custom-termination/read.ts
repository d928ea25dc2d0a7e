import { match } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { monthEnd } from './month-end.js';

// Another process, which has the definition and the file.
const [file = '', runId = ''] = process.argv.slice(2);
const engine = sqliteEngine(file);
const result = await monthEnd.result(runId, { engine });
for (const { name, termination, executor } of result?.stages ?? []) {
  const words = match(termination, {
    'billing.reconciled': ({ findings }) => `${findings} findings`,
    flow_completed: () => 'done',
    _: ({ kind }) => `something else: ${kind}`,
  });
  console.log(`read by process 2: ${name}: ${words} (the work itself ended as ${executor?.termination.kind})`);
}
await engine.close();
