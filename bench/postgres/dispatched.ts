import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { dbosEngine } from 'fullstop/engines/dbos';
import { median } from '../interleave.js';
import { line, mustBe } from './line.js';
import { compare, ratio, runsAtOnce, shown, stepsOfOne, timeMany, timeStep, type Way } from './ways.js';

/** The schema of DBOS that dispatches: the bare steps of the bench have one of their own. */
export const dispatchSchema = 'dispatching';

/** The same steps in segments that DBOS dispatches to a worker of another process, beside a bare insert and bare steps of DBOS. */
export async function benchDispatched(url: string, insert: Way, bareDbos: Way): Promise<void> {
  const engine = dbosEngine({ url, dbosSchema: dispatchSchema });
  const worker = startWorker(url);
  try {
    await once(worker, 'message');
    let times: readonly number[] = [];
    const dispatched: Way = {
      name: 'dispatched',
      times: () => times,
      run: async (runId, steps) => {
        await engine.start({ runId, name: 'dispatched', version: '1', input: { steps } });
        const { termination, output } = await engine.waitForEnding(runId, 1);
        mustBe(termination.kind, 'natural_end', `the ending of ${runId}`);
        times = (output as { readonly times: readonly number[] }).times;
      },
      stored: async (runId) => (await engine.journal(runId, { types: ['step_ended'] })).length,
    };
    const ways = [dispatched, insert, bareDbos];
    const [step = [], bare = [], other = []] = await compare(ways, (way, id) => timeStep(way, `dispatched-step-${id}`));
    line(`dispatched by DBOS, median of ${stepsOfOne} steps in sequence`, `${shown(step, 2)} ms`);
    line('a dispatched step to one fenced insert', `${ratio(step, bare).toFixed(2)}x (at most 1.3)`);
    line('a dispatched step to DBOS.runStep', `${ratio(step, other).toFixed(2)}x (at most 0.6)`);
    const rates = await compare([dispatched, bareDbos], (way, id) => timeMany(way, `dispatched-many-${id}`));
    const [ownRate = [], otherRate = []] = rates;
    line(`dispatched by DBOS, ${runsAtOnce} runs at once`, `${shown(ownRate, 0)} steps a second`);
    line('throughput of dispatched runs to DBOS steps', `${ratio(ownRate, otherRate).toFixed(2)}x (at least 2)`);
    const latencies: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const start = performance.now();
      await dispatched.run(`alone-${index}`, 1);
      latencies.push(performance.now() - start);
    }
    line('start to ending of a dispatched run of one step', `${median(latencies).toFixed(0)} ms`);
  } finally {
    worker.kill('SIGKILL');
    await engine.close();
  }
}

function startWorker(url: string): ChildProcess {
  const program = fileURLToPath(new URL('dispatched-worker.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', program, url], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}
