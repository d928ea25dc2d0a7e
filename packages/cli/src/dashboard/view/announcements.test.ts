import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryEngine } from 'fullstop';
import { loadWorkflow } from 'fullstop/workflow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Announcements } from './announcements.js';
import { JournalProjection } from './journal-projection.js';

const file = `workflow: { name: fetch, entry_point: fetch }
agents:
  - { name: fetch, type: script, command: ./fetch-it, working_dir: FOLDER, routes: [{ to: $end }] }
`;

describe('announcements of steps', () => {
  it('count each visit, and none that has ended already', () => {
    const announcements = new Announcements();
    expect(announcements.announce('page')).toBe(true);
    announcements.end('page');
    announcements.leave('page');
    expect(announcements.announce('page')).toBe(true);
    announcements.beginSegment();
    announcements.end('page');
    expect(announcements.announce('page')).toBe(false);
    announcements.leave('page');
    expect(announcements.announce('page')).toBe(true);
  });

  it('of a later segment leave a step ended that failed before and has succeeded now', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-announced-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const engine = memoryEngine();
    const path = join(folder, 'fetch.yaml');
    writeFileSync(path, file.replace('FOLDER', folder));
    await loadWorkflow(path).run({}, { engine, runId: 'r_again' });
    writeFileSync(join(folder, 'fetch-it'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await loadWorkflow(path).resume('r_again', { engine });
    const journal = await engine.journal('r_again');
    const endings = journal.filter((entry) => entry.type === 'segment_ended');
    expect(endings.map(({ data }) => data.envelope.category)).toEqual(['fatal', 'success']);
    const states = new JournalProjection(journal).transitions.filter((each) => each.path === 'fetch');
    expect(states.some(({ to, category }) => to === 'ended' && category === 'fatal')).toBe(true);
    expect(states.at(-1)).toMatchObject({ to: 'ended', category: 'success' });
  });
});
