import { describe, expect, it } from 'vitest';
import { makeStyle } from '../terminal/style.js';
import { widthOf } from '../terminal/wrap.js';
import { explainRun } from '../why/explain-run.js';
import { approvalRecord, brokenRecord, childRecord, foreignRecord, loopRecord } from '../why/records.fixture.js';
import { whyMarkdown } from './why-markdown.js';
import { whyText } from './why-text.js';

const plain = { style: makeStyle(false), columns: 100, now: 0 };
const times = /\d{4}-\d\d-\d\d \d\d:\d\d|\d+ ms|[\d.]+ s\b/g;
const withoutTimes = (text: string): string => text.replace(times, 'TIME');

describe('whyText', () => {
  it('says what happened first and what to do last', async () => {
    const text = withoutTimes(whyText(explainRun(await loopRecord()), plain));
    expect(text).toBe(`◆ Caught in a loop: search came 4 times in a row with the same results.
  loop_detected · capacity · open · searcher · r_loop
  because   iteration 4 asked for search({"q":"x"}) for the 4th time with the same result
  at        iterations 3 · tool calls 4 · tokens 3,760 · cost $0.0039 · active time TIME
  did       (model → search) ×4
  output    looking
  spent     TIME · 3,760 tokens · $0.0039 · started TIME · ended TIME
  next      Look at what repeats; give guidance or change what leads back to it, then resume:
              fullstop resume r_loop --guidance "WHAT TO DO DIFFERENTLY"
            A worker of its own program then continues it
`);
  });

  it('draws the units as a tree with the way to the first cause', async () => {
    const lines = whyText(explainRun(await childRecord()), { ...plain, columns: 140 }).split('\n');
    expect(lines.find((line) => line.includes('good'))).toMatch(/units {5}├ ✓ good {2}natural_end · 0\.\ds$|did/);
    expect(lines.find((line) => line.includes('└'))).toContain('◆ research  max_iterations');
    expect(lines.find((line) => line.includes('└'))).toContain('← Stopped at the limit of 3 iterations (used 3).');
  });

  it.each([40, 60, 80])('stays within %i columns but for commands to copy', async (columns) => {
    for (const record of [await loopRecord(), await approvalRecord(), await foreignRecord()]) {
      const lines = whyText(explainRun(record), { ...plain, columns }).split('\n');
      for (const line of lines.filter((each) => !each.includes('fullstop ')))
        expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('uses colours where they are wanted and ASCII where nothing else is safe', async () => {
    const explanation = explainRun(await childRecord());
    expect(whyText(explanation, { ...plain, style: makeStyle(true) })).toContain('\u001b[33m');
    const ascii = whyText(explanation, { ...plain, style: makeStyle(false, false) });
    expect(ascii.replaceAll('\n', '')).toMatch(/^[\x20-\x7e]*$/);
  });

  it('does not let a message control the terminal', async () => {
    expect(whyText(explainRun(await brokenRecord()), plain)).not.toContain('\u001b');
  });
});

describe('whyMarkdown', () => {
  it('is a heading, the causes, the counters and what to do', async () => {
    const text = withoutTimes(whyMarkdown(explainRun(await loopRecord())));
    expect(text).toContain('### 🔶 Caught in a loop: search came 4 times in a row with the same results.');
    expect(text).toContain('- iteration 4 asked for search({"q":"x"}) for the 4th time with the same result');
    expect(text).toContain('| tool calls | 4 |  |');
    expect(text).toContain('`fullstop resume r_loop --guidance "WHAT TO DO DIFFERENTLY"`');
  });

  it('does not let text of others become markup', async () => {
    const explanation = { ...explainRun(await loopRecord()), because: ['<img src=x> **bold** `code` | cell'] };
    expect(whyMarkdown(explanation)).toContain('- \\<img src=x\\> \\*\\*bold\\*\\* \\`code\\` \\| cell');
  });
});
