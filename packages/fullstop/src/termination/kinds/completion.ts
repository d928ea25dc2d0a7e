import { count, json, listOf, oneOf, optional, text } from '../check.js';
import type { Ending } from '../ending.js';
import type { JsonValue } from '../json.js';
import { type KindRows, success } from '../kind-row.js';
import { colonList, colonText, counted, inline, listed } from '../text/wording.js';
import { type Violation, violations } from './validation.js';

/** The model answered without asking for a tool. */
export interface NaturalEnd extends Ending<'natural_end', 'success', 'completion'> {
  /** The provider's word for why the answer stopped, where it is not `stop`. */
  readonly finishReason?: string;
}

/** The goal predicate was satisfied. */
export interface Completed extends Ending<'completed', 'success', 'completion'> {
  /** Where it was asked: after an iteration, or already after a round of tool calls or a single one. */
  readonly check: 'iteration' | 'tool_rounds' | 'tool_call';
}

/** A tool handed in the result. */
export interface Submitted extends Ending<'submitted', 'success', 'completion'> {
  readonly tool: string;
  readonly deliverable?: JsonValue;
}

/** A convergence run reached its fixed point. */
export interface Converged extends Ending<'converged', 'success', 'completion'> {
  readonly cycles: number;
  readonly facts: number;
}

/** All success criteria hold. */
export interface CriteriaMet extends Ending<'criteria_met', 'success', 'completion'> {
  readonly criteria: readonly string[];
}

/** A workflow or pipeline ran through to its end. */
export interface FlowCompleted extends Ending<'flow_completed', 'success', 'completion'> {
  /** The step or stage that was last. */
  readonly last: string;
}

/** A workflow step ended the run on purpose, for better or worse. */
export interface Terminated extends Ending<'terminated', 'success' | 'fatal', 'completion'> {
  readonly status: 'success' | 'failed';
  readonly reason: string;
  readonly by: string;
  readonly output?: JsonValue;
  /** The values that the output lacks, since they cannot be JSON. */
  readonly dropped?: readonly Violation[];
}

/** A tool that ends the run was called, and its result is kept. */
export interface ToolCalled extends Ending<'tool_called', 'success', 'completion'> {
  readonly tool: string;
}

/** The model's text contained what the run was waiting for. */
export interface ContentMatched extends Ending<'content_matched', 'success', 'completion'> {
  readonly pattern: string;
}

/** A plugin or hook finished the run. */
export interface PluginRequested extends Ending<'plugin_requested', 'success', 'completion'> {
  readonly plugin: string;
  readonly reason?: string;
}

/** The unit was not run, as its skip rule says, or because the run ended before it. */
export interface Skipped extends Ending<'skipped', 'success', 'completion'> {
  readonly reason?: string;
  /** Present where no rule skipped it: the run never got there, and a resume may. */
  readonly because?: 'not_reached';
}

export interface CompletionKinds {
  natural_end: NaturalEnd;
  completed: Completed;
  submitted: Submitted;
  converged: Converged;
  criteria_met: CriteriaMet;
  flow_completed: FlowCompleted;
  terminated: Terminated;
  tool_called: ToolCalled;
  content_matched: ContentMatched;
  plugin_requested: PluginRequested;
  skipped: Skipped;
}

const completion = { family: 'completion', ...success, nextAction: () => 'Nothing to do: use the output.' } as const;

export const completionRows: KindRows<CompletionKinds> = {
  natural_end: {
    ...completion,
    fields: { finishReason: optional(text) },
    describe: (t) =>
      t.finishReason === undefined
        ? 'The model returned its final answer.'
        : `The model returned its final answer (finish reason ${inline(t.finishReason)}).`,
  },
  completed: {
    ...completion,
    fields: { check: oneOf('iteration', 'tool_rounds', 'tool_call') },
    describe: (t) => `The goal was reached, as checked after ${checkWords[t.check]}.`,
  },
  submitted: {
    ...completion,
    fields: { tool: text, deliverable: optional(json) },
    describe: (t) => `The result was submitted through the tool ${t.tool}.`,
  },
  converged: {
    ...completion,
    fields: { cycles: count, facts: count },
    describe: (t) => `Converged after ${counted(t.cycles, 'cycle')} with ${counted(t.facts, 'fact')}.`,
  },
  criteria_met: {
    ...completion,
    fields: { criteria: listOf(text) },
    describe: (t) => `All criteria are met${colonList(t.criteria)}.`,
  },
  flow_completed: {
    ...completion,
    fields: { last: text },
    describe: (t) => `The flow ran to its end; ${t.last} was last.`,
  },
  terminated: {
    family: 'completion',
    category: (t) => (t.status === 'success' ? 'success' : 'fatal'),
    outcome: (t) => (t.status === 'success' ? 'succeeded' : 'failed'),
    open: () => false,
    fields: {
      status: oneOf('success', 'failed'),
      reason: text,
      by: text,
      output: optional(json),
      dropped: optional(violations),
    },
    describe: (t) =>
      `Terminated as ${statusWords[t.status]} by ${t.by}${colonText(t.reason)}${droppedText(t.dropped)}.`,
    nextAction: (t) =>
      t.status === 'success'
        ? 'Nothing to do: use the output.'
        : 'This ending is explicit and final: act on the reason, then start a new run.',
  },
  tool_called: {
    ...completion,
    fields: { tool: text },
    describe: (t) => `The tool ${t.tool}, which ends the run, was called.`,
  },
  content_matched: {
    ...completion,
    fields: { pattern: text },
    describe: (t) => `The answer contained ${JSON.stringify(inline(t.pattern, 80))}.`,
  },
  plugin_requested: {
    ...completion,
    fields: { plugin: text, reason: optional(text) },
    describe: (t) => `The plugin ${t.plugin} finished the run${colonText(t.reason)}.`,
    nextAction: () => 'Nothing to do: the plugin ended the run on purpose.',
  },
  skipped: {
    ...completion,
    outcome: () => 'skipped',
    fields: { reason: optional(text), because: optional(oneOf('not_reached')) },
    describe: (t) => `${t.because === 'not_reached' ? 'Not reached' : 'Skipped'}${colonText(t.reason)}.`,
    nextAction: (t) =>
      t.because === 'not_reached'
        ? 'Nothing to do here: look at the ending of the run, which stopped before this part.'
        : 'Nothing to do: this part was not needed.',
  },
};

const checkWords = {
  iteration: 'an iteration',
  tool_rounds: 'a round of tool calls',
  tool_call: 'a tool call',
} as const;
const statusWords = { success: 'a success', failed: 'a failure' } as const;

function droppedText(dropped: readonly Violation[] = []): string {
  if (dropped.length === 0) return '';
  return ` (left out of the output: ${listed(dropped.map(({ path, message }) => `${inline(path)} ${inline(message, 100)}`))})`;
}
