import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../packages/fullstop/src/engines/port/engine.js';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { end } from '../../packages/fullstop/src/run/ending/body-result.js';
import { exportJournal, importJournal } from '../../packages/fullstop/src/run/journal/journal-file.js';
import { verifyJournal } from '../../packages/fullstop/src/run/journal/verify-journal.js';
import { FullstopError } from '../../packages/fullstop/src/termination/errors/fullstop-error.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { engines } from './engines.js';

const leaf = defineRun({ name: 'leaf', run: async () => terminations.naturalEnd() });

/** A run with nearly every type of entry, in two segments. */
const story = defineRun({
  name: 'story',
  onEnding: ['ops'],
  run: async (context) => {
    context.emit({ chapter: 1 });
    await context.step('read', () => ({ text: 'x' }));
    await context.record('judge', () => true);
    await context.step('fails', () => Promise.reject(new Error('no'))).catch(() => undefined);
    await context.step('once', () => 1, { once: true });
    await context.child('unit', async (inner) => {
      await inner.step('write', () => 1);
      return terminations.naturalEnd();
    });
    await context.spawn(leaf);
    const { by } = await context.wait({ id: 'ok', type: 'approval', options: [{ value: 'approve' }], deadline: 4e12 });
    return end(terminations.flowCompleted({ last: 'ok' }), { by });
  },
});

async function exported(engine: Engine): Promise<readonly string[]> {
  await story.run(undefined, { engine, runId: 'story' });
  await story.resume('story', { engine, answers: { ok: { decision: 'approve', value: 'approve', by: 'maria' } } });
  const lines: string[] = [];
  for await (const line of exportJournal(engine, 'story')) lines.push(line);
  return lines;
}

type Json = Record<string, unknown>;

/** Places inside a value, as lists of names; its containers are places too. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

function changeAt(value: unknown, [name, ...rest]: readonly string[], change: (member: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  const changed = changeAt(copy[name], rest, change);
  if (changed === undefined) delete copy[name];
  else copy[name] = changed;
  return copy;
}

const values: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  '',
  'x',
  'a\u0000b',
  '\ud800',
  [],
  [null],
  {},
  { kind: 'x' },
  { __proto__: null, toString: 1 },
];

type Mutation = (entries: readonly unknown[]) => readonly unknown[];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...values)).map(
    ([line, place, value]): Mutation =>
      (entries) => {
        const index = line % entries.length;
        const places = placesIn(entries[index]);
        return entries.with(
          index,
          changeAt(entries[index], places[place % places.length] ?? [], () => value),
        );
      },
  ),
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('more', '__proto__', 'hash')).map(
    ([line, place, name]): Mutation =>
      (entries) => {
        const index = line % entries.length;
        const containers = placesIn(entries[index]).filter((path) =>
          placesIn(entries[index]).some((each) => each.length > path.length),
        );
        const path = containers[place % containers.length] ?? [];
        const add = (member: unknown): unknown =>
          typeof member === 'object' && member !== null
            ? Object.defineProperty({ ...member }, name, { value: 1, enumerable: true })
            : member;
        return entries.with(index, changeAt(entries[index], path, add));
      },
  ),
  fc.nat().map(
    (line): Mutation =>
      (entries) =>
        entries.toSpliced(line % entries.length, 1),
  ),
  fc.nat().map(
    (line): Mutation =>
      (entries) =>
        entries.toSpliced(line % entries.length, 0, entries[line % entries.length]),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(
    ([one, other]): Mutation =>
      (entries) => {
        const [left, right] = [one % entries.length, other % entries.length];
        return entries.with(left, entries[right]).with(right, entries[left]);
      },
  ),
);

const allowedCodes = /^(INVALID_JOURNAL|STORE_CORRUPT|STORE_FAILED)$/;

/** A refusal that left nothing, or an import that can be read again as it was. */
async function judge(engine: Engine, given: readonly unknown[], attempt: () => Promise<unknown>): Promise<void> {
  const known = new Set((await engine.list({ limit: 1000 })).runs.map(({ runId }) => runId));
  try {
    const done = await attempt();
    // Somebody may have changed the id to one that there is.
    if (JSON.stringify(done)?.includes('exists') === true) return;
  } catch (error) {
    if (!FullstopError.is(error) || !allowedCodes.test(error.code)) throw error;
    const after = (await engine.list({ limit: 1000 })).runs.map(({ runId }) => runId);
    expect(after.filter((runId) => !known.has(runId))).toEqual([]);
    return;
  }
  const { runId } = given[0] as JournalEntry;
  const stored = await engine.journal(runId);
  expect(await verifyJournal(stored)).toMatchObject({ verdict: 'consistent' });
  const withoutHashes = stored.map(({ hash: _, ...entry }) => JSON.parse(JSON.stringify(entry)) as unknown);
  expect(withoutHashes).toEqual(given.map((entry) => ({ ...(entry as Json), hash: undefined })));
  expect(await engine.summary(runId)).toMatchObject({ runId });
  await Promise.all([engine.ending(runId), engine.openRequests(runId), engine.claim(runId, 'w')]);
}

describe.each(engines)('an import into the %s engine', (_, open) => {
  test('of a journal as it was exported is faithful', async () => {
    const lines = await exported(open());
    const target = open();
    expect(await importJournal(target, lines)).toMatchObject({ status: 'imported', entries: lines.length });
    const again: string[] = [];
    for await (const line of exportJournal(target, 'story')) again.push(line);
    expect(again.map((line) => ({ ...(JSON.parse(line) as Json), hash: undefined }))).toEqual(
      lines.map((line) => ({ ...(JSON.parse(line) as Json), hash: undefined })),
    );
  });

  test('of an ending whose summary is a boolean is refused and says where', async () => {
    const lines = (await exported(open())).map((line) => line.replace(/,"hash":"[0-9a-f]+"}$/, '}'));
    const spoiled = lines.map((line) => line.replace(/"summary":"[^"]*"(,"nextAction")/, '"summary":true$1'));
    await expect(importJournal(open(), spoiled)).rejects.toMatchObject({
      code: 'INVALID_JOURNAL',
      message: expect.stringContaining('data.envelope.summary must be a text, found true') as string,
    });
    const target = open();
    const entries = spoiled.map((line) => JSON.parse(line) as JournalEntry);
    await expect(target.importRun(entries)).rejects.toMatchObject({
      code: 'INVALID_JOURNAL',
      message: expect.stringContaining('.data.envelope.summary is true; it must be a text.') as string,
    });
    expect((await target.list()).runs).toEqual([]);
  });

  test('of a mutated journal is refused with a typed error or faithful, and never done by half', async () => {
    const lines = await exported(open());
    const entries = lines.map((line) => JSON.parse(line) as Json);
    const target = open();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        fc.boolean(),
        async (mutations, hashed, asText) => {
          count += 1;
          // Every case is a run of its own, so that none meets the one before it.
          const renamed = JSON.parse(
            JSON.stringify(entries).replaceAll('"runId":"story"', `"runId":"story-${count}"`),
          ) as Json[];
          const plain = hashed ? entries : renamed.map(({ hash: _hash, ...entry }) => entry);
          const mutated = mutations.reduce<readonly unknown[]>(
            (all, mutate) => (all.length === 0 ? all : mutate(all)),
            plain,
          );
          if (hashed && (await target.summary('story')) !== undefined) return;
          const texts = mutated.map((entry) => JSON.stringify(entry) ?? '');
          // A line that is gone altogether is read as an empty one.
          const given = texts.filter((text) => text !== '').map((text) => JSON.parse(text) as unknown);
          await judge(target, given, () =>
            asText ? importJournal(target, texts) : target.importRun(given as readonly JournalEntry[]),
          );
        },
      ),
      { numRuns: 1500 },
    );
  });
});
