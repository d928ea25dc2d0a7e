import type { EntryDraft } from 'fullstop/journal';
import { describe, expect, it } from 'vitest';
import { graphSvg } from '../render/graph-svg.js';
import { makeStyle } from '../terminal/style.js';
import { RunProgress } from './run-progress.js';

// The worked example is no part of what is published, so it comes from its source.
const source = (path: string) => import(new URL(`../../../fullstop/src/workflow/${path}`, import.meta.url).href);
const { analyzeWorkflow } = await source('analyze-workflow.ts');
const { defineWorkflow } = await source('define-workflow.ts');
const { loadDocumentWith } = await source('load/load-document.ts');
const { stepTypeFacts } = await source('step-type-facts.ts');
const { stepTypesWithNote } = await source('steps/worked-example.fixture.ts');

const text = `
workflow: {name: w, entry_point: jot}
agents:
  - {name: jot, type: note, text: first, routes: [{to: both}]}
  - {name: left, type: note, text: l}
  - {name: right, type: note, text: r}
parallel: [{name: both, agents: [left, right]}]
output: {noted: "{{ jot.output.noted }}"}
`;

const result = loadDocumentWith(stepTypesWithNote, { file: '/w/workflow.yaml', text });
if (!result.ok) throw new Error(JSON.stringify(result.problems));
const { loaded } = result;

describe('the new type of step of the worked example, at the command line', () => {
  it('is in the picture', () => {
    const svg = graphSvg(analyzeWorkflow(loaded));
    expect(svg).toContain('>jot</text>');
    expect(svg.match(/>note<\/text>/g)?.length).toBeGreaterThan(0);
  });

  it('is in the progress, alone and in a group', async () => {
    const progress = new RunProgress(makeStyle(false), {
      now: () => 1000,
      types: (type) => stepTypeFacts(type, stepTypesWithNote),
    });
    const journal = await (await defineWorkflow(loaded, {}, () => loaded).run({})).journal();
    const running: string[] = [];
    const lines = (journal as readonly EntryDraft[]).flatMap((entry) => {
      progress.begin(entry);
      running.push(...progress.lasting(0));
      return progress.take(entry);
    });
    const [first = '', ...members] = lines.map((line) => line.trim().replace(/\s+/g, ' '));
    expect(first).toMatch(/jot note /);
    expect(members).toHaveLength(2);
    expect(members.every((line) => /both\.(left|right) note /.test(line))).toBe(true);
    expect(running.map((line) => line.trim())).toEqual([expect.stringMatching(/jot note is running$/)]);
    expect(progress.status()).toMatch(/^running/);
  });
});
