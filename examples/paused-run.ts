import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineRun, end, terminations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';

const folder = mkdtempSync(join(tmpdir(), 'fullstop-'));
const file = join(folder, 'runs.db');

const release = defineRun({
  name: 'release',
  run: async (context, input: { readonly version: string }) => {
    const built = await context.step('build', () => {
      console.log('building', input.version);
      return `app-${input.version}.tgz`;
    });
    const answer = await context.wait({ id: 'ship', type: 'approval', summary: `Ship ${built}?`, tool: 'deploy' });
    if (answer.decision !== 'approve')
      return terminations.halted({ by: { type: 'hook', name: 'approval' }, reason: 'denied' });
    await context.step('deploy', () => console.log('deploying', built), { once: true });
    return end(terminations.flowCompleted({ last: 'deploy' }), { by: answer.by });
  },
});

// One process: the run pauses, its ending is stored in the file, and the process may exit.
const here = sqliteEngine(file);
const paused = await release.run({ version: '2.4' }, { engine: here, runId: 'ship-2.4' });
console.log(paused.termination);
await here.close();

// Days later, another process on the same file. Nothing is built again.
const there = sqliteEngine(file);
const open = await there.openRequests('ship-2.4');
console.log(open.map(({ id, summary }) => `${id}: ${summary}`));
const answers = { ship: { decision: 'approve', by: 'maria' } } as const;
const done = await release.resume('ship-2.4', { engine: there, answers });
console.log(done.termination, done.output, `segment ${done.segment}`);
await there.close();
rmSync(folder, { recursive: true });
