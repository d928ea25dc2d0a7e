import { allKinds, type BuiltInKind, type Envelope, memoryEngine, rootCause } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { type Advice, type Ended, endRun, type Program, runId } from './program-parts.fixture.js';
import { allAdvice, programs } from './programs.fixture.js';

interface Place {
  readonly engine: ReturnType<typeof memoryEngine>;
  readonly before: Program;
  readonly after: Program;
}

/** A run that has ended as the row says. */
async function endedRun(kind: BuiltInKind, advice: Advice): Promise<Place> {
  const engine = memoryEngine();
  const { before, after = before } = advice.make();
  await endRun(before, advice, engine);
  const ending = (await engine.ending(runId)) as Envelope;
  const { termination } = ending;
  expect((advice.isInside === true ? rootCause(termination) : termination).kind).toBe(kind);
  expect(ending.nextAction).toBe(advice.says);
  return { engine, before, after };
}

/** A resume ends, and not the same way; runs that were left waiting may wait again. */
function expectProgress(kind: BuiltInKind, { termination, segment }: Ended): void {
  expect(segment).toBe(2);
  expect(termination.kind).not.toBe(kind);
}

describe('the advice after an ending, performed in the program', () => {
  it('has a row for every kind', () => {
    expect(Object.keys(programs).sort()).toEqual([...allKinds()].sort());
  });

  for (const [name, kind, advice] of allAdvice) {
    const { ways = [{}], unchanged, stays, person } = advice;

    it(`${name}: a resume that changes nothing is ${unchanged}`, async () => {
      const { engine, before } = await endedRun(kind, advice);
      if (unchanged === 'allowed') expect((await before.resume(runId, { engine })).runId).toBe(runId);
      else await expect(before.resume(runId, { engine })).rejects.toMatchObject({ code: unchanged });
    });

    if (unchanged !== 'RUN_CLOSED')
      for (const [index, way] of ways.entries())
        it(`${name}: followed, ${person ?? JSON.stringify(Object.keys(way))} (${index + 1})`, async () => {
          const { engine, before, after } = await endedRun(kind, advice);
          const program = Object.keys(way).length === 0 ? after : before;
          const result = await program.resume(runId, { engine, ...way });
          if (Object.keys(way).length > 0 || stays !== true) expectProgress(kind, result);
        });
  }
});
