import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineRun, terminations } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { fork } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { makeStyle } from '../terminal/style.js';
import { explainRun } from '../why/explain-run.js';
import { forkText } from './fork-text.js';
import { whyMarkdown } from './why-markdown.js';
import { whyText } from './why-text.js';

describe('the origin of a fork', () => {
  it('is told with its entry and who forked, and not of other runs', () => {
    expect(forkText({})).toBeUndefined();
    expect(forkText({ forkedFrom: { runId: 'r_one', at: 4 } })).toBe('forked from r_one at entry 4');
    const hostile = forkText({ forkedFrom: { runId: 'r_one', at: 4, by: 'ada\u001b[31m\nmin' } });
    expect(hostile).not.toContain('\u001b');
    expect(hostile).not.toContain('\n');
  });

  it('is the run that was copied last, in the text and in Markdown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-origin-'));
    const engine = sqliteEngine(join(folder, 'runs.db'));
    const body = defineRun({
      name: 'steps',
      version: '1',
      run: async (context) => {
        await context.step('one', async () => 1);
        await context.step('two', async () => 2);
        return terminations.flowCompleted({ last: 'two' });
      },
    });
    try {
      await body.run(undefined, { engine, runId: 'r_first' });
      const { runId: second } = await fork(engine, 'r_first', { at: 3, runId: 'r_second' });
      await fork(engine, second, { at: 2, runId: 'r_third', by: 'ada' });
      const explain = async (runId: string) => {
        const summary = await engine.summary(runId);
        if (summary === undefined) throw new Error(`There is no run ${runId}.`);
        return explainRun({ summary, journal: await engine.journal(runId), ending: undefined, requests: [] });
      };
      const third = await explain('r_third');
      expect(third.forkedFrom?.by).toBe('ada');
      const words = forkText(third) ?? '';
      expect(words).toMatch(/^forked from r_second at entry 2 by ada$/);
      expect(whyText(third, { style: makeStyle(false), columns: 140, now: 0 })).toContain(words);
      expect(whyMarkdown(third)).toContain(words.replaceAll('_', '\\_'));
      expect((await explain('r_first')).forkedFrom).toBeUndefined();
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
