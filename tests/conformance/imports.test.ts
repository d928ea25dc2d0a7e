import { describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import { exportJournal, importJournal } from '../../packages/fullstop/src/run/journal/journal-file.js';
import type { Json } from '../attack/imports/mutations.js';
import { exportStory } from '../attack/imports/story.js';
import { engines } from './engines.js';

describe.each(engines)('an import into the %s engine', (_, open) => {
  test('of a journal as it was exported is faithful', async () => {
    const lines = await exportStory(open());
    const target = open();
    expect(await importJournal(target, lines)).toMatchObject({ status: 'imported', entries: lines.length });
    const again: string[] = [];
    for await (const line of exportJournal(target, 'story')) again.push(line);
    expect(again.map((line) => ({ ...(JSON.parse(line) as Json), hash: undefined }))).toEqual(
      lines.map((line) => ({ ...(JSON.parse(line) as Json), hash: undefined })),
    );
  });

  test('of an ending whose summary is a boolean is refused and says where', async () => {
    const lines = (await exportStory(open())).map((line) => line.replace(/,"hash":"[0-9a-f]+"}$/, '}'));
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
});
