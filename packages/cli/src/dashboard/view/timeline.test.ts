import { describe, expect, it } from 'vitest';
import { askedRecord, brokenRecord, countingRecord, limitRecord, loopRecord } from '../../why/records.fixture.js';
import { timelineOf } from './timeline.js';
import { workflowRecord } from './view-records.fixture.js';

describe('timelineOf', () => {
  it('shows iterations with the model and tool calls inside them', async () => {
    const { bars } = timelineOf(await limitRecord(2));
    expect(bars.map(({ name, type, depth }) => [name, type, depth])).toEqual([
      ['searcher', 'unit', 0],
      ['iteration 1', 'iteration', 1],
      ['model:1', 'model', 1],
      ['search', 'tool', 1],
      ['iteration 2', 'iteration', 1],
      ['model:2', 'model', 1],
      ['search', 'tool', 1],
    ]);
  });

  it('marks where a budget crossed its limit', async () => {
    const { budgets } = timelineOf(await limitRecord(3));
    const iterations = budgets.find(({ name }) => name === 'iterations');
    expect(iterations).toMatchObject({ limit: 3, unit: 'count', crossing: { used: 3 } });
    expect(budgets.find(({ name }) => name === 'cost')).toMatchObject({ unit: 'usd' });
    expect(budgets.find(({ name }) => name === 'cost')?.limit).toBeUndefined();
  });

  it('lays the calls of a loop side by side, with inputs and results', async () => {
    const { repeated } = timelineOf(await loopRecord());
    expect(repeated?.rounds).toHaveLength(4);
    expect(repeated?.rounds[0]).toMatchObject([{ tool: 'search', input: { q: 'x' }, output: { hits: [] } }]);
  });

  it('shows waits for people, and attempts that failed', async () => {
    expect(timelineOf(await askedRecord()).bars.find(({ type }) => type === 'wait')).toMatchObject({ path: 'unit' });
    const failed = timelineOf(await brokenRecord()).bars.find(({ name }) => name === 'fetch');
    expect(failed).toMatchObject({ category: 'fatal', note: '2 attempts', error: 'no \u001b[31mred network' });
  });

  it('counts the cycles and facts of a convergence and the steps of a workflow', async () => {
    const cycles = timelineOf(await countingRecord({ budgets: { cycles: 3 } })).budgets;
    expect(cycles.find(({ name }) => name === 'cycles')).toMatchObject({ limit: 3, crossing: { used: 3 } });
    const steps = timelineOf(await workflowRecord()).budgets.find(({ name }) => name === 'steps');
    expect(steps).toMatchObject({ limit: 20 });
    expect(steps?.crossing).toBeUndefined();
  });
});
