import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { runText } from './workflow.fixture.js';

const long = 'x'.repeat(900);

/** Two long outputs, a model's and a set step's, and a step that says which of them it still sees. */
const text = (context: string, entry = 'one'): string => `
workflow: {name: w, entry_point: ${entry}, context: {${context}}}
agents:
  - {name: ask, prompt: go, routes: [{to: one}]}
  - {name: one, type: set, values: {text: "${long}"}, routes: [{to: two}]}
  - {name: two, type: set, values: {text: "${long}"}, routes: [{to: see}]}
  - name: see
    type: set
    values:
      one: "{{ one.output.text | length if one is defined else 'gone' }}"
      two: "{{ two.output.text | length if two is defined else 'gone' }}"
      summary: "{{ _context_summary.output.dropped_agents | join(',') if _context_summary is defined else 'none' }}"
output: {v: "{{ see.output | json }}"}
`;

describe('a context that grows too large', () => {
  it('loses the oldest outputs, whole, unless the file says otherwise', async () => {
    const result = await runText(text('max_tokens: 300'));
    expect(result.output).toEqual({ v: { one: 'gone', two: 900, summary: 'none' } });
    expect(result.observations.filter(({ type }) => type === 'context_trimmed')).toEqual([
      { type: 'context_trimmed', steps: ['one'] },
    ]);
  });

  it('has its long texts cut with truncate', async () => {
    const result = await runText(text('max_tokens: 400, trim_strategy: truncate'));
    expect(result.output).toEqual({ v: { one: 225 + '... [truncated]'.length, two: 900, summary: 'none' } });
  });

  it('has the older half in a few words with summarize, once a model was asked', async () => {
    const model = scriptedModel([{ text: 'hello' }]);
    const result = await runText(text('max_tokens: 300, trim_strategy: summarize', 'ask'), { model });
    expect(result.output).toEqual({ v: { one: 'gone', two: 900, summary: 'ask,one' } });
    const without = await runText(text('max_tokens: 300, trim_strategy: summarize'));
    expect(without.output).toEqual({ v: { one: 'gone', two: 900, summary: 'none' } });
  });

  it('stays as it is where it fits', async () => {
    const result = await runText(text('max_tokens: 3000'));
    expect(result.output).toEqual({ v: { one: 900, two: 900, summary: 'none' } });
  });
});
