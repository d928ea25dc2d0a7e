import { Dict } from '../../../template/dict.js';
import { writeJsonText } from '../../../template/json-text.js';
import { toText } from '../../../template/text/python-text.js';
import type { Value } from '../../../template/value.js';
import { namesOf, outputOf } from '../../machine/outputs.js';
import type { TrimOutcome, WorkflowState } from '../../machine/state.js';
import type { Runtime } from '../runtime.js';
import { contextValue } from '../scope/context-value.js';

const charactersPerToken = 4;
const shortestCut = 204;
const leastKept = 200;
const longestSummary = 500;
const longestPreview = 50;
const summaryName = '_context_summary';

type Outputs = Map<string, Value>;

/** Makes the outputs so far fit the context, by the strategy of the file. */
export function trimContext(runtime: Runtime, state: WorkflowState): TrimOutcome {
  const { max_tokens: most, trim_strategy: strategy = 'drop_oldest' } = runtime.program.document.workflow.context;
  if (most === undefined) return {};
  const outputs: Outputs = new Map();
  for (const name of namesOf(state.outputs)) outputs.set(name, outputOf(state.outputs, name)?.value as Value);
  const size = (): number => Math.floor(contextLength(runtime, state, outputs) / charactersPerToken);
  const changed: Record<string, string | null> = {};
  if (size() <= most) return {};
  const fits = (): boolean => size() <= most;
  if (strategy === 'truncate') truncate(outputs, changed, size() - most);
  else if (strategy === 'summarize' && state.modelAsked) summarize(outputs, changed);
  else dropOldest(outputs, changed, fits);
  return { changed };
}

/** The length of everything that templates can see, as JSON. */
function contextLength(runtime: Runtime, state: WorkflowState, outputs: Outputs): number {
  const context = new Dict()
    .setText('workflow', runtime.workflowValue(state.inputs))
    .setText('context', contextValue(state));
  for (const [name, value] of outputs) {
    const isGroup =
      value instanceof Dict && value.getText('outputs') !== undefined && value.getText('errors') !== undefined;
    context.setText(name, isGroup ? value : new Dict().setText('output', value));
  }
  return writeJsonText(context).length;
}

type Changes = Record<string, string | null>;

function dropOldest(outputs: Outputs, changed: Changes, fits: () => boolean): void {
  for (const name of [...outputs.keys()]) {
    if (fits()) return;
    outputs.delete(name);
    changed[name] = null;
  }
}

/** Cuts the long texts of mappings, a whole step at a time and the oldest first, until as much is gone as has to. */
function truncate(outputs: Outputs, changed: Changes, excess: number): void {
  let left = excess;
  for (const [name, value] of [...outputs]) {
    if (left <= 0) return;
    if (!(value instanceof Dict)) continue;
    const cut = value.copy();
    for (const [key, member] of value.entries()) {
      if (typeof member !== 'string' || member.length < shortestCut) continue;
      const shorter = `${member.slice(0, Math.max(leastKept, Math.floor(member.length / 4)))}... [truncated]`;
      cut.setText(String(key), shorter);
      left -= tokensOf(member) - tokensOf(shorter);
      changed[name] = writeJsonText(cut);
    }
  }
}

function tokensOf(text: string): number {
  return Math.floor(text.length / charactersPerToken);
}

/** Keeps the newer half, and says in a few words what the older one was. */
function summarize(outputs: Outputs, changed: Changes): void {
  const names = [...outputs.keys()].filter((name) => name !== summaryName);
  const dropped = names.slice(0, names.length - Math.max(1, Math.floor(names.length / 2)));
  if (dropped.length === 0) return;
  const parts = dropped.map((name) => `${name}: ${shortText(outputs.get(name) as Value)}`);
  for (const name of dropped) changed[name] = null;
  const summary = parts.join('; ').slice(0, longestSummary);
  changed[summaryName] = writeJsonText(new Dict().setText('summary', summary).setText('dropped_agents', dropped));
}

function shortText(value: Value): string {
  if (!(value instanceof Dict)) return preview(writeJsonText(value, { ascii: false }));
  const members = [...value.entries()].map(([key, member]) => {
    return `${toText(key)}=${typeof member === 'string' ? `${member.slice(0, longestPreview)}...` : toText(member)}`;
  });
  return members.join(' ');
}

function preview(text: string): string {
  return text.length > longestPreview ? `${text.slice(0, longestPreview)}...` : text;
}
