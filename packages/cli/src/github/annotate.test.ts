import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainRun } from '../why/explain-run.js';
import { limitRecord } from '../why/records.fixture.js';
import { annotate } from './annotate.js';

describe('annotate', () => {
  it('writes an annotation and the job summary in GitHub Actions, and nothing elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fullstop-github-'));
    const summary = join(folder, 'summary.md');
    const explanation = explainRun(await limitRecord(2));
    const written: string[] = [];
    const write = (text: string): void => void written.push(text);
    const mask = (text: string): string => text;
    annotate(explanation, { env: {}, write, mask });
    expect(written).toEqual([]);
    annotate(explanation, { env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }, write, mask });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^::error title=searcher%3A max_iterations::Stopped at the limit of 2 iterations \(used 2\)\.%0Aiteration 2 was the last/,
    );
    expect(written[0]).toContain('%0ANext: fullstop resume r_limit --max-iterations 4\n');
    expect(readFileSync(summary, 'utf8')).toContain('### 🔶 Stopped at the limit of 2 iterations (used 2).');
    rmSync(folder, { recursive: true });
  });
});
