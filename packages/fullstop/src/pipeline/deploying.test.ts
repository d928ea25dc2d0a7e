import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { Engine } from '../engines/port/engine.js';
import type { RunResult } from '../run/define-run.js';
import type { Ending } from '../termination/ending.js';
import { pipeline } from './pipeline.js';

interface Resumable {
  resume(
    runId: string,
    options: { engine: Engine },
  ): Promise<Pick<RunResult<Ending, unknown>, 'resumable' | 'termination'>>;
}

type Release = (calls: string[]) => Resumable;

/** Runs a pipeline to its failure, and resumes it under another release. */
async function resumeUnder(change: Release) {
  const engine = memoryEngine();
  const calls: string[] = [];
  const failed = await release(calls, { fails: true }).run(undefined, { engine, runId: 'r' });
  expect(failed.termination).toMatchObject({ kind: 'child_failed' });
  const result = await change(calls).resume('r', { engine });
  return { calls, result };
}

function release(calls: string[], { fails = false, name = 'old' } = {}) {
  return pipeline('p')
    .stage('first', () => {
      calls.push(`first ${name}`);
      return 1;
    })
    .stage('second', () => {
      calls.push(`second ${name}`);
      if (fails) throw new Error('broken');
      return 2;
    });
}

describe('a pipeline that failed under the old release', () => {
  it('executes the stages that are left as the new one has them, and none of the past again', async () => {
    const { calls, result } = await resumeUnder((made) =>
      release(made, { name: 'new' }).stage('third', () => made.push('third new')),
    );
    expect(result.termination).toEqual({ kind: 'flow_completed', last: 'third' });
    expect(calls).toEqual(['first old', 'second old', 'second new', 'third new']);
  });

  it.each<[string, Release]>([
    ['removed', (made) => pipeline('p').stage('second', () => made.push('second new'))],
    [
      'inserted',
      (made) =>
        pipeline('p')
          .stage('zero', () => made.push('zero new'))
          .stage('first', () => made.push('first new'))
          .stage('second', () => made.push('second new')),
    ],
  ])('ends as REPLAY_MISMATCH where a stage of the past was %s, and executes nothing', async (_, change) => {
    const { calls, result } = await resumeUnder(change);
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'REPLAY_MISMATCH' } });
    expect(result.resumable.how).not.toBe('no');
    expect(calls).toEqual(['first old', 'second old']);
  });
});
