import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Engine } from '../../../packages/fullstop/src/engines/port/engine.js';
import type { JournalEntry } from '../../../packages/fullstop/src/engines/port/journal-entry.js';
import { importJournal } from '../../../packages/fullstop/src/run/journal/journal-file.js';
import { verifyJournal } from '../../../packages/fullstop/src/run/journal/verify-journal.js';
import { FullstopError } from '../../../packages/fullstop/src/termination/errors/fullstop-error.js';
import type { Attack } from '../attack.js';
import { onEveryEngine } from '../on-every-engine.js';
import { type Json, type Mutation, mutation } from './mutations.js';
import { exportStory } from './story.js';

const allowedCodes = /^(INVALID_JOURNAL|STORE_CORRUPT|STORE_FAILED)$/;

/** Imports journals that someone has changed: each is refused with a typed error or faithful, and never done by half. */
export const mutatedImports: Attack = {
  name: 'mutated-imports',
  of: 'imports',
  short: 1000,
  long: 10_000,
  perform: onEveryEngine(importMutated),
};

/** One way to change the journal, and to hand it over. */
interface Case {
  readonly mutations: readonly Mutation[];
  readonly isHashed: boolean;
  readonly isText: boolean;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  mutations: fc.array(mutation, { minLength: 1, maxLength: 2 }),
  isHashed: fc.boolean(),
  isText: fc.boolean(),
});

type Result = 'refused' | 'exists' | 'imported';

async function importMutated(
  open: () => Engine,
  { seed, count }: { readonly seed: number; readonly count: number },
  note: (result: Result) => void,
): Promise<void> {
  const entries = (await exportStory(open())).map((line) => JSON.parse(line) as Json);
  const target = open();
  let index = 0;
  const property = fc.asyncProperty(anyCase, async ({ mutations, isHashed, isText }) => {
    index += 1;
    // Every case is a run of its own, so that none meets the one before it.
    const renamed = JSON.stringify(entries).replaceAll('"runId":"story"', `"runId":"story-${index}"`);
    const plain = isHashed ? entries : (JSON.parse(renamed) as Json[]).map(({ hash: _, ...entry }) => entry);
    const mutated = mutations.reduce<readonly unknown[]>(
      (all, mutate) => (all.length === 0 ? all : mutate(all)),
      plain,
    );
    const texts = mutated.map((entry) => JSON.stringify(entry) ?? '');
    // A line that is gone altogether is read as an empty one.
    const given = texts.filter((text) => text !== '').map((text) => JSON.parse(text) as unknown);
    note(
      await judge(target, given, () =>
        isText ? importJournal(target, texts) : target.importRun(given as readonly JournalEntry[]),
      ),
    );
  });
  await fc.assert(property, { seed, numRuns: count });
}

/** A refusal that left nothing, or an import that can be read again as it was. */
async function judge(engine: Engine, given: readonly unknown[], attempt: () => Promise<unknown>): Promise<Result> {
  const known = await runIdsOf(engine);
  try {
    const done = await attempt();
    // Somebody may have changed the id to one that there is.
    if (JSON.stringify(done)?.includes('exists') === true) return 'exists';
  } catch (error) {
    if (!FullstopError.is(error) || !allowedCodes.test(error.code)) throw error;
    assert.deepEqual(await runIdsOf(engine), known, 'a refused import left something');
    return 'refused';
  }
  const { runId } = given[0] as JournalEntry;
  const stored = await engine.journal(runId);
  assert.equal((await verifyJournal(stored)).verdict, 'consistent');
  assert.deepEqual(withoutHashes(stored), withoutHashes(given));
  assert.equal((await engine.summary(runId))?.runId, runId);
  await Promise.all([engine.ending(runId), engine.openRequests(runId), engine.claim(runId, 'w')]);
  return 'imported';
}

async function runIdsOf(engine: Engine): Promise<readonly string[]> {
  return (await engine.list({ limit: 1000 })).runs.map(({ runId }) => runId);
}

function withoutHashes(entries: readonly unknown[]): unknown {
  return entries.map((entry) => {
    const { hash: _, ...rest } = JSON.parse(JSON.stringify(entry)) as Json;
    return rest;
  });
}
