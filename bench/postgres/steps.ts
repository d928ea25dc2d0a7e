import { DBOS } from '@dbos-inc/dbos-sdk';
import { postgresEngine } from 'fullstop/engines/postgres';
import pg from 'pg';
import { benchDispatched } from './dispatched.js';
import { line } from './line.js';
import {
  bareInsert,
  compare,
  dbos,
  firstSteps,
  ours,
  ratio,
  runsAtOnce,
  shown,
  stepsOfOne,
  timeMany,
  timeRun,
  timeStep,
} from './ways.js';

/** Ratios are medians of the ratios of rounds: a slow moment of the machine hits all ways alike. */
export async function benchSteps(url: string): Promise<void> {
  const engine = postgresEngine({ url });
  // Makes the tables whose shape the others have.
  await engine.list({ limit: 1 });
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const ways = [ours(engine), await bareInsert(pool), await dbos(url)] as const;
  try {
    for (const way of ways) {
      const first = await timeStep(way, `first-${way.name}`, firstSteps);
      line(`${way.name}, median of the first ${firstSteps} steps`, `${first.toFixed(2)} ms`);
    }
    const [step = [], bareStep = [], otherStep = []] = await compare(ways, (way, id) => timeStep(way, `step-${id}`));
    for (const [index, times] of [step, bareStep, otherStep].entries())
      line(`${ways[index]?.name}, median of ${stepsOfOne} steps in sequence`, `${shown(times, 2)} ms`);
    line('a step of ours to one fenced insert', `${ratio(step, bareStep).toFixed(2)}x (at most 1.3)`);
    line('a step of ours to DBOS.runStep', `${ratio(step, otherStep).toFixed(2)}x (at most 0.6)`);
    const [own = [], bare = [], other = []] = await compare(ways, (way, id) => timeRun(way, `run-${id}`));
    for (const [index, times] of [own, bare, other].entries())
      line(`${ways[index]?.name}, a run of ${stepsOfOne} steps`, `${shown(times, 2)} ms per step`);
    line('a run of ours to as many fenced inserts', `${ratio(own, bare).toFixed(2)}x, with start, claim and ending`);
    const [ownRate = [], bareRate = [], otherRate = []] = await compare(ways, (way, id) => timeMany(way, `many-${id}`));
    for (const [index, rates] of [ownRate, bareRate, otherRate].entries())
      line(`${ways[index]?.name}, ${runsAtOnce} runs at once`, `${shown(rates, 0)} steps a second`);
    line('throughput of ours to DBOS steps', `${ratio(ownRate, otherRate).toFixed(2)}x (at least 2)`);
    await benchDispatched(url, ways[1], ways[2]);
  } finally {
    await DBOS.shutdown();
    await engine.close();
    await pool.end();
  }
}
