import { setTimeout as sleep } from 'node:timers/promises';
import type { DbosEngine } from '../../../packages/fullstop/src/engines/dbos/index.js';
import type { StoreEngine } from '../../../packages/fullstop/src/engines/sqlite/index.js';
import { check, checkEqual } from '../../../packages/fullstop/src/testing/check.js';
import type { ChaosInput } from '../bodies.js';
import type { LogLine } from '../effect-log.js';
import type { Operator } from '../operator.js';
import type { ServerCrew } from './server-crew.js';

export interface DeployScene {
  readonly crew: ServerCrew;
  readonly operator: Operator;
  readonly engine: StoreEngine;
  readonly random: () => number;
  draw(): ChaosInput;
}

const lookMs = 50;
/** Of those who are asked to leave, the share that is killed before it has done so, and when at the latest. */
const impatience = 0.25;
const longestPatienceMs = 40;

/**
 * Workers with the next version come one by one, and for each of them one with the old version is drained, under load. What is left of the old
 * version waits, in the sight of everyone, until a worker that has it comes back.
 */
export async function deploy(scene: DeployScene): Promise<void> {
  const { crew, operator, engine, random } = scene;
  const old = operator.version;
  const next = String(Number(old) + 1);
  const left = await operator.startLeft(scene.draw());
  while ((await engine.summary(left))?.category !== 'paused') await sleep(lookMs);
  const leaving = [...crew.mates];
  for (const { atWork } of leaving) await atWork;
  for (const mate of leaving) {
    await crew.hire(next);
    operator.version = next;
    await crew.drain(mate, random() < impatience ? random() * longestPatienceMs : undefined);
  }
  await checkLeft(scene, left, old);
  const keeper = await crew.hire(old);
  while ((await operator.openOf(old)) > 0) await sleep(lookMs);
  await crew.drain(keeper);
}

/** A paused run of a version that nobody has: it can be found and answered, nobody takes it, and the engine with queues names it. */
async function checkLeft({ operator, engine, draw }: DeployScene, runId: string, version: string): Promise<void> {
  checkEqual((await engine.openRequests(runId)).length, 1, `the questions of ${runId} after its workers have left`);
  await checkUnserved(engine, version, 'parked');
  await operator.answerLeft(runId);
  // The workers that are there look at what is ready and execute what they can.
  await engine.waitForEnding(await operator.start('steps', draw()), 1);
  const summary = await engine.summary(runId);
  checkEqual(
    [summary?.version, summary?.state],
    [version, 'ready'],
    `the version and state of ${runId} once it is answered`,
  );
  await checkUnserved(engine, version, 'ready');
}

async function checkUnserved(engine: StoreEngine, version: string, state: 'parked' | 'ready'): Promise<void> {
  if (!('unserved' in engine)) return;
  const unserved = await (engine as DbosEngine).unserved();
  const found = unserved.find((each) => each.name === 'waits' && each.version === version);
  check((found?.[state] ?? 0) > 0, `nobody names the ${state} runs of version ${version}: ${JSON.stringify(unserved)}`);
}

/** Whoever executed a run had its version, by what the processes wrote down themselves. Returns how many versions there were. */
export function checkVersions(lines: readonly LogLine[], versions: ReadonlyMap<string, string>): number {
  for (const line of lines)
    if (line.type === 'executed')
      checkEqual(line.version, versions.get(line.runId), `the version of who executed ${line.runId}`);
  return new Set(versions.values()).size;
}
