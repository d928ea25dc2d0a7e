import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { normalised, replayed, transcripts } from './transcripts.js';

const root = resolve(import.meta.dirname, '../..');

describe('sessions on the command line in documents', () => {
  it('are there', () => {
    expect(transcripts(root).map(({ document }) => document)).toContain('README.md');
  });

  // FULLSTOP_UPDATE_DOCS=1 writes what the commands print now.
  it.each(transcripts(root))('$document shows what the commands print', (transcript) => {
    const now = replayed(root, transcript);
    if (process.env['FULLSTOP_UPDATE_DOCS'] === '1' && normalised(now) !== normalised(transcript.text)) {
      const path = join(root, transcript.document);
      writeFileSync(
        path,
        readFileSync(path, 'utf8').replace(transcript.text, () => now),
      );
    } else {
      expect(normalised(transcript.text)).toBe(normalised(now));
    }
  });
});
