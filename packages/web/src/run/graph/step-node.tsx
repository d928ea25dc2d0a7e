import { Handle, type NodeProps, Position } from '@xyflow/react';
import { type ReactNode, useId } from 'react';
import type { GraphNode } from '../../../../cli/src/dashboard/view/run-graph.js';
import { ToneIcon } from '../../design/icon.js';
import { type NodeState, toneOf, wordOf } from '../states.js';
import { shownText } from '../text/shown-text.js';
import { useGraphActions } from './graph-actions.js';

export interface StepData extends Record<string, unknown> {
  readonly node: GraphNode;
  readonly state: NodeState | undefined;
  readonly sentence: string | undefined;
  readonly isContainer: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
}

/** A box of the graph; a button, so that it is reached and opened by keyboard. */
export function StepNode({ data }: NodeProps & { readonly data: StepData }): ReactNode {
  const { node, state, isContainer, isOpen, isSelected } = data;
  const { select, toggle, enter } = useGraphActions();
  const tip = useId();
  const tone = node.terminate === undefined ? toneOf(state) : terminateTone(node);
  const names = [
    'step-node',
    `step-node-${node.terminate === undefined ? shapeOf(node.type) : 'terminate'}`,
    tone === undefined ? 'step-node-idle' : `tone-${tone}`,
    ...(state === undefined ? ['step-node-unreached'] : []),
    ...(isOpen ? ['step-node-open'] : []),
    ...(isSelected ? ['step-node-selected'] : []),
  ];
  return (
    <div className={names.join(' ')}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {node.terminate !== undefined && <Octagon />}
      <button
        type="button"
        className="step-node-face nodrag"
        aria-describedby={tip}
        onClick={() => select(node.id)}
        onDoubleClick={() => isContainer && enter(node.id)}
      >
        <NodeFace node={node} state={state} />
      </button>
      {isContainer && (
        <button
          type="button"
          className="step-node-toggle nodrag"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Close' : 'Open'} ${node.label}`}
          onClick={() => toggle(node.id)}
        >
          {isOpen ? '−' : '+'}
        </button>
      )}
      <NodeTip id={tip} data={data} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

function shapeOf(type: string): string {
  if (type === 'start' || type === 'end') return 'point';
  return type === 'human_gate' || type === 'questions' ? 'gate' : 'box';
}

function terminateTone({ terminate }: GraphNode): 'failed' | 'success' {
  return terminate?.status === 'failed' ? 'failed' : 'success';
}

/** The shape of a stop sign, drawn so that its border is one line at every size. */
function Octagon(): ReactNode {
  return (
    <svg className="octagon" viewBox="0 0 230 92" preserveAspectRatio="none" aria-hidden="true">
      <path d="M26 1.5H204L228.5 26V66L204 90.5H26L1.5 66V26Z" />
    </svg>
  );
}

function NodeFace({ node, state }: { readonly node: GraphNode; readonly state: NodeState | undefined }): ReactNode {
  const { label, type, terminate, group } = node;
  if (type === 'start' || type === 'end')
    return <span className="step-node-name">{type === 'end' ? shownText(state?.kind ?? label) : label}</span>;
  if (terminate !== undefined)
    return (
      <>
        <span className="step-node-name">{shownText(label)}</span>
        <span className="step-node-type">terminate · {shownText(terminate.status)}</span>
        <span className="step-node-reason">{shownText(terminate.reason)}</span>
      </>
    );
  const tone = toneOf(state);
  const count = state === undefined || state.count < 2 ? '' : ` ×${state.count}`;
  return (
    <>
      <span className="step-node-name">
        {tone !== undefined && <ToneIcon tone={tone} size={13} />}
        {shownText(label)}
        {count !== '' && <span className="faint">{count}</span>}
      </span>
      <span className="step-node-type">
        {shownText(type)} · {shownText(wordOf(state))}
        {group !== undefined && ` · ${state?.done ?? 0}/${group.total ?? '?'}`}
      </span>
      {group?.total !== undefined && <Progress done={state?.done ?? 0} total={group.total} />}
    </>
  );
}

function Progress({ done, total }: { readonly done: number; readonly total: number }): ReactNode {
  return (
    <progress
      className="step-node-progress"
      value={Math.min(done, total)}
      max={Math.max(total, 1)}
      aria-label="Members done"
    />
  );
}

function NodeTip({ id, data }: { readonly id: string; readonly data: StepData }): ReactNode {
  const { node, state, sentence } = data;
  const { terminate } = node;
  return (
    <div className="node-tip" role="tooltip" id={id}>
      {terminate === undefined ? (
        <p className="pill-row">
          <strong>{shownText(node.label)}</strong>
          <span className="tag">{shownText(node.type)}</span>
          <span className={`pill tone-${toneOf(state) ?? 'unknown'}`}>
            <span>{shownText(wordOf(state))}</span>
          </span>
        </p>
      ) : (
        <>
          <p className="pill-row">
            <span className="pill-label">Termination</span>
            <span className={`pill tone-${terminateTone(node)}`}>
              <ToneIcon tone={terminateTone(node)} />
              <span>{shownText(terminate.status)}</span>
            </span>
            <span className="tag">{state === undefined ? 'not reached' : 'ended the workflow'}</span>
          </p>
          <p>
            <span className="pill-label">Reason:</span> <span dir="auto">{shownText(terminate.reason)}</span>
          </p>
          {!terminate.rendered && <p className="faint">As the file has it; it was not rendered.</p>}
        </>
      )}
      {sentence !== undefined && <p dir="auto">{shownText(sentence)}</p>}
      {node.output !== undefined && <p className="mono faint">{shownText(node.output)}</p>}
    </div>
  );
}
