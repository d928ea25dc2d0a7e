import { Background, Controls, type Edge, MarkerType, type Node, ReactFlow, useReactFlow } from '@xyflow/react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { RunGraph } from '../../../../cli/src/dashboard/view/run-graph.js';
import type { UnitView } from '../../../../cli/src/dashboard/view/unit-view.js';
import type { NodeState } from '../states.js';
import { GraphActionsProvider } from './graph-actions.js';
import { layOut, type Placed } from './lay-out.js';
import { type RouteData, RouteEdge } from './route-edge.js';
import { type StepData, StepNode } from './step-node.js';
import { crumbsTo, openAtFirst, type VisibleGraph, visibleGraph } from './visible-graph.js';

const nodeTypes = { step: StepNode };
const edgeTypes = { route: RouteEdge };

interface GraphProperties {
  readonly graph: RunGraph;
  readonly units: readonly UnitView[];
  readonly states: ReadonlyMap<string, NodeState>;
  /** The entry up to which ways count as taken. */
  readonly at: number;
  readonly selected: string | undefined;
  readonly inside: string;
  readonly onSelect: (id: string) => void;
  readonly onEnter: (id: string) => void;
}

/** Everything that the look of the nodes depends on. */
interface ShownMoment extends Pick<GraphProperties, 'at' | 'inside' | 'selected' | 'states' | 'units'> {
  readonly open: ReadonlySet<string>;
}

/** The picture of a run at one moment. */
export function RunGraphView(properties: GraphProperties): ReactNode {
  const { graph, inside, states, units, selected, at, onSelect, onEnter } = properties;
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const open = useMemo(() => {
    const set = new Set(openAtFirst(graph));
    for (const [id, isOpen] of changed)
      if (isOpen) set.add(id);
      else set.delete(id);
    return set;
  }, [graph, changed]);
  const known = graph.nodes.some(({ id }) => id === inside) ? inside : '';
  const visible = useMemo(() => visibleGraph(graph, { inside: known, open }), [graph, known, open]);
  const placed = useMemo(() => layOut(visible, known), [visible, known]);
  const actions = useMemo(
    () => ({
      select: onSelect,
      enter: onEnter,
      toggle: (id: string) => setChanged((before) => new Map([...before, [id, !open.has(id)]])),
    }),
    [onSelect, onEnter, open],
  );
  const nodes = useMemo(
    () => flowNodes(visible, placed, { states, units, selected, at, inside: known, open }),
    [visible, placed, states, units, selected, at, known, open],
  );
  const edges = useMemo(() => flowEdges(visible, at), [visible, at]);
  if (graph.nodes.length === 0) return null;
  return (
    <GraphActionsProvider value={actions}>
      <div className="graph" style={{ height: heightOf(placed) }}>
        {known !== '' && <Crumbs graph={graph} inside={known} onEnter={onEnter} />}
        <ReactFlow
          key={known}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          minZoom={0.1}
          maxZoom={1.6}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
          aria-label="The run as a graph"
        >
          <Background gap={20} />
          <Controls showInteractive={false} />
          <Refit size={visible.nodes.length} />
        </ReactFlow>
      </div>
    </GraphActionsProvider>
  );
}

const leastHeight = 280;
const mostHeight = 760;

/** As high as the picture, within what a screen has. */
function heightOf(placed: ReadonlyMap<string, Placed>): number {
  const bottom = Math.max(0, ...[...placed.values()].map(({ y, height }) => y + height));
  return Math.min(Math.max(bottom + 60, leastHeight), mostHeight);
}

/** The picture changes its size with the nodes that are opened or closed. */
function Refit({ size }: { readonly size: number }): ReactNode {
  const { fitView } = useReactFlow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of boxes is another picture.
  useEffect(() => {
    const frame = requestAnimationFrame(() => void fitView({ maxZoom: 1, padding: 0.08 }));
    return () => cancelAnimationFrame(frame);
  }, [size, fitView]);
  return null;
}

function Crumbs({
  graph,
  inside,
  onEnter,
}: {
  readonly graph: RunGraph;
  readonly inside: string;
  readonly onEnter: (id: string) => void;
}): ReactNode {
  return (
    <nav className="crumbs" aria-label="Where in the run">
      <button type="button" className="link-button" onClick={() => onEnter('')}>
        Run
      </button>
      {crumbsTo(graph, inside).map(({ id, label }) => (
        <span key={id}>
          <span aria-hidden="true"> / </span>
          <button
            type="button"
            className="link-button"
            aria-current={id === inside ? 'location' : undefined}
            onClick={() => onEnter(id)}
          >
            {label}
          </button>
        </span>
      ))}
    </nav>
  );
}

function flowNodes(
  { nodes, edges, containers }: VisibleGraph,
  placed: ReadonlyMap<string, Placed>,
  { states, units, selected, inside, open, at }: ShownMoment,
): Node<StepData>[] {
  const sentences = new Map(
    units.flatMap(({ node, ending }) => (ending === undefined ? [] : [[node, ending.sentence]])),
  );
  const reached = new Set(edges.flatMap(({ to, taken }) => (taken.some((seq) => seq <= at) ? [to] : [])));
  return nodes.map((node) => {
    const { x = 0, y = 0, width = 0, height = 0 } = placed.get(node.id) ?? {};
    const state = states.get(node.id) ?? pointState(node, states, reached.has(node.id));
    const isOpen = open.has(node.id) && containers.has(node.id);
    return {
      id: node.id,
      type: 'step',
      position: { x, y },
      width,
      height,
      ...(node.parent !== undefined && node.parent !== inside && { parentId: node.parent }),
      data: {
        node,
        state,
        sentence: state?.to === 'ended' ? sentences.get(node.id) : undefined,
        isContainer: containers.has(node.id),
        isOpen,
        isSelected: selected === node.id,
      },
    };
  });
}

/** The beginning and the end of a unit are where the unit is; an end is reached by a way that was taken to it. */
function pointState(
  { type, path }: { readonly type: string; readonly path: string },
  states: ReadonlyMap<string, NodeState>,
  isReached: boolean,
): NodeState | undefined {
  const around = states.get(path);
  if (around === undefined || (type !== 'start' && type !== 'end')) return undefined;
  if (type === 'start') return { ...around, to: 'ended', category: 'success' };
  return isReached && around.to === 'ended' ? around : undefined;
}

function flowEdges({ edges, nodes }: VisibleGraph, at: number): Edge<RouteData>[] {
  const outputs = new Map(nodes.map(({ id, output }) => [id, output]));
  return edges.map((edge) => {
    const taken = edge.taken.filter((seq) => seq <= at).length;
    return {
      id: edge.id,
      type: 'route',
      source: edge.from,
      target: edge.to,
      zIndex: taken > 0 ? 1 : 0,
      markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
      data: { edge, taken, output: outputs.get(edge.from) },
    };
  });
}
