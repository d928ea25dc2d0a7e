import { describe, expect, it } from 'vitest';
import { runView } from '../../../../cli/src/dashboard/view/run-view.js';
import { workflowRecord } from '../../../../cli/src/dashboard/view/view-records.fixture.js';
import { workflowDrawing } from '../../../../cli/src/dashboard/view/workflow-drawing.js';
import { layOut } from './lay-out.js';
import { crumbsTo, openAtFirst, visibleGraph } from './visible-graph.js';

async function graphOf() {
  const record = await workflowRecord();
  return runView(record, { loaded: await workflowDrawing(record.journal, {}) }).graph;
}

describe('the graph of a run', () => {
  it('opens groups at first and keeps sub-workflows closed', async () => {
    const graph = await graphOf();
    const open = openAtFirst(graph);
    expect([...open].sort()).toEqual(['each', 'fan']);
    const ids = visibleGraph(graph, { inside: '', open }).nodes.map(({ id }) => id);
    expect(ids).toContain('fan.write');
    expect(ids).not.toContain('sub/one');
  });

  it('draws the inside of one unit alone, with the way back', async () => {
    const graph = await graphOf();
    const { nodes } = visibleGraph(graph, { inside: 'sub', open: new Set() });
    expect(nodes.map(({ id }) => id)).toEqual(['sub/@start', 'sub/one', 'sub/two', 'sub/@end']);
    expect(crumbsTo(graph, 'sub/two').map(({ id }) => id)).toEqual(['sub', 'sub/two']);
  });

  it('places no two boxes of one level over one another, and members inside their group', async () => {
    const graph = await graphOf();
    const open = new Set(graph.nodes.map(({ id }) => id));
    const visible = visibleGraph(graph, { inside: '', open });
    const placed = layOut(visible, '');
    expect(placed.size).toBe(visible.nodes.length);
    for (const [one, first] of visible.nodes.entries()) {
      for (const second of visible.nodes.slice(one + 1)) {
        if (first.parent !== second.parent) continue;
        const [a, b] = [placed.get(first.id), placed.get(second.id)];
        if (a === undefined || b === undefined) throw new Error('not placed');
        const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
        expect(apart, `${first.id} and ${second.id}`).toBe(true);
      }
      const box = placed.get(first.id);
      const around = first.parent === undefined ? undefined : placed.get(first.parent);
      if (box === undefined || around === undefined) continue;
      expect(box.x + box.width).toBeLessThanOrEqual(around.width);
      expect(box.y + box.height).toBeLessThanOrEqual(around.height);
    }
  });
});
