import { describe, expect, it } from 'vitest';
import { runView } from '../../../../cli/src/dashboard/view/run-view.js';
import { workflowRecord } from '../../../../cli/src/dashboard/view/view-records.fixture.js';
import { workflowDrawing } from '../../../../cli/src/dashboard/view/workflow-drawing.js';
import { layOut, type Placed } from './lay-out.js';
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
    for (const [one, first] of visible.nodes.entries())
      for (const second of visible.nodes.slice(one + 1))
        if (first.parent === second.parent)
          expect(isApart(placed.get(first.id)!, placed.get(second.id)!), `${first.id} and ${second.id}`).toBe(true);
    for (const { id, parent } of visible.nodes) {
      const [box, around] = [placed.get(id)!, placed.get(parent ?? '')];
      expect(box.x + box.width, id).toBeLessThanOrEqual(around?.width ?? Number.POSITIVE_INFINITY);
      expect(box.y + box.height, id).toBeLessThanOrEqual(around?.height ?? Number.POSITIVE_INFINITY);
    }
  });
});

function isApart(a: Placed, b: Placed): boolean {
  return a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
}
