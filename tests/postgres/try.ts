import { startCluster } from './cluster.js';
import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
const c = await startCluster();
const engine = dbosEngine({ url: c.url, schema: 'a' });
try {
  const run = defineRun({ name: 'x', run: async (context) => { await context.step('a', () => 1); return terminations.naturalEnd(); } });
  console.log((await run.run(undefined, { engine, runId: 'r' })).termination);
  console.log(await engine.verify('r'), await engine.summary('r'), await engine.tally());
  for (let round=0; round<3; round++){ const t=performance.now(); 
  const many = defineRun({ name: 'm', run: async (context) => { for (let i=0;i<200;i++) await context.step('a'+i, () => 'x'.repeat(400)); return terminations.naturalEnd(); } });
  await many.run(undefined, { engine, runId: 'm'+round }); console.log('ms/step', (performance.now()-t)/200); }
  { const worker = engine.worker([defineRun({ name: 'w', run: async (context) => { for (let i=0;i<20;i++) await context.step('a'+i, () => 'x'.repeat(400)); return terminations.naturalEnd(); } })], {concurrency: 50});
  const t=performance.now(); await Promise.all(Array.from({length:50},(_, n)=>engine.start({runId:'w'+n,name:'w',version:'1'}))); console.log('started', performance.now()-t); await Promise.all(Array.from({length:50},(_, n)=>engine.waitForEnding('w'+n,1))); console.log('steps/s', 1000/(performance.now()-t)*1000); await worker.stop(); }
} catch (e) { console.log(e); } finally { await engine.close(); await c.stop(); }
