import { join } from 'node:path';
import { approve, memoryEngine } from 'fullstop';
import { loadWorkflow } from 'fullstop/workflow';

// The same as `fullstop run purchase.yaml -i amount=18000 -i vendor=ACME`: the convergence is one step of the workflow.
const purchase = loadWorkflow(join(import.meta.dirname, 'convergence/purchase.yaml'));
const engine = memoryEngine();

const paused = await purchase.run({ amount: 18_000, vendor: 'ACME' }, { engine, runId: 'po-4711' });
console.log(paused.termination.kind, '·', paused.summary);

const [request] = await engine.openRequests('po-4711');
const answers = { [request?.id ?? '']: approve({ by: 'maria' }) };
const done = await purchase.resume('po-4711', { engine, answers });
console.log(done.termination, done.output);
