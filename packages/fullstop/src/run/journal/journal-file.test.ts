import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { openEngine, temporaryFile } from '../../engines/sqlite/engine.fixture.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';
import { chained, sampleJournal } from './journal.fixture.js';
import { exportJournal, importJournal } from './journal-file.js';
import { verifyJournal } from './verify-journal.js';

async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

async function refusal(promise: Promise<unknown>): Promise<FullstopError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!FullstopError.is(error)) throw new Error('It was not refused.');
  return error;
}

describe('exportJournal', () => {
  it('writes one line for each entry, hash included', async () => {
    const source = memoryEngine();
    const entries = chained(await sampleJournal(source));
    const engine = { ...source, journal: async () => entries };
    const lines = await linesOf(exportJournal(engine, 'sample'));
    expect(lines).toHaveLength(entries.length);
    expect(lines.join('')).not.toContain('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(JSON.parse(JSON.stringify(entries)));
    expect(
      await verifyJournal(
        lines.map((line) => JSON.parse(line) as JournalEntry),
        { head: entries.at(-1)?.hash ?? '' },
      ),
    ).toMatchObject({ verdict: 'proved' });
  });

  it('continues after a page', async () => {
    const engine = memoryEngine();
    const long = defineRun({
      name: 'long',
      run: async (context) => {
        for (let index = 0; index < 1200; index += 1) await context.step('s', () => index);
        return terminations.naturalEnd();
      },
    });
    await long.run(undefined, { engine, runId: 'long' });
    expect(await linesOf(exportJournal(engine, 'long'))).toHaveLength(1202);
  });

  it('leaves hashes out where they cover what a codec made', async () => {
    const entries = chained(await sampleJournal(memoryEngine()));
    const lines = await linesOf(
      exportJournal({ ...memoryEngine(), encoded: true, journal: async () => entries }, 'sample'),
    );
    expect(lines.join('')).not.toContain('"hash"');
  });

  it('is consistent where a codec made something else of it, with or without an export in between', async () => {
    const codec = { encode: encodeURIComponent, decode: decodeURIComponent };
    const engine = openEngine(temporaryFile(), { codec });
    const journal = await sampleJournal(engine);
    expect(await verifyJournal(journal)).toEqual({ verdict: 'consistent', entries: journal.length });
    const elsewhere = memoryEngine();
    await importJournal(elsewhere, await linesOf(exportJournal(engine, 'sample')));
    expect(await elsewhere.journal('sample')).toEqual(journal);
  });

  it('knows when there is no such run', async () => {
    expect((await refusal(linesOf(exportJournal(memoryEngine(), 'none')))).code).toBe('RUN_NOT_FOUND');
  });
});

describe('importJournal', () => {
  it('takes over what was exported, and only once', async () => {
    const source = memoryEngine();
    await sampleJournal(source);
    const lines = await linesOf(exportJournal(source, 'sample'));
    const target = memoryEngine();
    expect(await importJournal(target, lines)).toEqual({ status: 'imported', runId: 'sample', entries: lines.length });
    expect((await target.ending('sample'))?.termination.kind).toBe('flow_completed');
    expect(await linesOf(exportJournal(target, 'sample'))).toEqual(lines);
    expect((await importJournal(target, lines)).status).toBe('exists');
  });

  it('lets a paused run continue elsewhere', async () => {
    const source = memoryEngine();
    const asking = defineRun({
      name: 'asking',
      run: async (context) => {
        await context.wait({ id: 'q', type: 'input' });
        return terminations.naturalEnd();
      },
    });
    await asking.run(undefined, { engine: source, runId: 'r' });
    const target = memoryEngine();
    await importJournal(target, exportJournal(source, 'r'));
    const result = await asking.resume('r', { engine: target, answers: { q: { decision: 'value', value: 1 } } });
    expect(result.termination.kind).toBe('natural_end');
    expect(await verifyJournal(await result.journal())).toMatchObject({ verdict: 'consistent' });
  });

  it('says which lines are wrong and why, and imports nothing', async () => {
    const source = memoryEngine();
    await sampleJournal(source);
    const lines = [...(await linesOf(exportJournal(source, 'sample')))];
    lines[1] = '{"runId":';
    lines[3] = lines[3]!.replace('"seq":4', '"seq":0');
    lines[4] = lines[4]!.replace(/"type":"\w+"/, '"type":"made_up"');
    lines[5] = lines[5]!.replace('"scope"', '"place"');
    const target = memoryEngine();
    const error = await refusal(importJournal(target, lines));
    expect(error.code).toBe('INVALID_JOURNAL');
    expect(error.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^line 2: not JSON/),
      'line 4: seq must be a whole number above 0, found 0',
      'line 5: type must be a type of entry, found "made_up"',
      'line 6: scope must be a text without NUL and without half of a surrogate pair, found nothing',
    ]);
    expect(await target.summary('sample')).toBeUndefined();
  });

  it('counts empty lines, and names the line of a broken structure', async () => {
    const source = memoryEngine();
    await sampleJournal(source);
    const [first, second, , ...rest] = await linesOf(exportJournal(source, 'sample'));
    const error = await refusal(importJournal(memoryEngine(), [first!, '', second!, ...rest, '']));
    expect(error.issues).toEqual([{ code: 'invalid', path: 'line 4', message: 'expected entry 3, found 4' }]);
    expect((await refusal(importJournal(memoryEngine(), []))).message).toContain('no entries');
  });

  it('refuses fields that would be lost and data that cannot be followed', async () => {
    const source = memoryEngine();
    await sampleJournal(source);
    const lines = await linesOf(exportJournal(source, 'sample'));
    const extra = lines.with(0, lines[0]!.replace('{', '{"note":"x",'));
    expect((await refusal(importJournal(memoryEngine(), extra))).message).toContain(
      'line 1: note must be left out, because there is no such field',
    );
    const hollow = lines.map((line) =>
      line.includes('"segment_ended"') ? line.replace('"open":true', '"open":"yes"') : line,
    );
    expect((await refusal(importJournal(memoryEngine(), hollow))).message).toContain(
      'data.envelope.open must be true or false',
    );
  });

  it('keeps every byte of any JSON value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const source = memoryEngine();
        const keeping = defineRun({
          name: 'k',
          run: async (context) => end(terminations.naturalEnd(), await context.step('s', () => value)),
        });
        await keeping.run(undefined, { engine: source, runId: 'r' });
        const lines = await linesOf(exportJournal(source, 'r'));
        const target = memoryEngine();
        await importJournal(target, lines);
        expect(await linesOf(exportJournal(target, 'r'))).toEqual(lines);
      }),
      { numRuns: 50 },
    );
  });
});
