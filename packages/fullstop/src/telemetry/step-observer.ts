import { parseSuggestorKey } from '../convergence/machine/convergence-key.js';
import type { EntryDraft } from '../engines/port/journal-entry.js';
import { parseUsingKey, stageKey } from '../pipeline/machine/pipeline-key.js';
import { conversationOf, nameInvocation } from './gen-ai/invocation.js';
import { modelSpan, recordModelCall } from './gen-ai/model-call.js';
import { recordToolCall, toolSpan } from './gen-ai/tool-call.js';
import { modelStepOf, toolStepOf, usageOf } from './journal/model-step.js';
import { stageOf, type UnitTrack } from './journal/units.js';
import type { Instruments } from './metrics/instruments.js';
import type { RunMetrics } from './metrics/run-metrics.js';
import type { SpanTree, Timed } from './spans/span-tree.js';
import { workflowStepSpan } from './spans/workflow-steps.js';

type StepEntry = EntryDraft<'step_ended'>;

interface StepObserverOptions {
  readonly runId: string;
  readonly metrics: RunMetrics;
  /** Undefined unless the GenAI conventions are asked for. */
  readonly genAi: Instruments['genAi'];
  /** Undefined when nobody traces. */
  readonly spans: SpanTree | undefined;
}

/** Turns the steps of one segment into metrics and spans. */
export class StepObserver {
  readonly #options: StepObserverOptions;

  constructor(options: StepObserverOptions) {
    this.#options = options;
  }

  observe(unit: UnitTrack, type: 'model' | 'tool' | undefined, entry: StepEntry): void {
    const { metrics, genAi, spans } = this.#options;
    const { data, at } = entry;
    const stage = data.charge === undefined ? undefined : stageOf(unit);
    if (stage !== undefined) metrics.stageTokens(stage, usageOf(data));
    if (type === 'model') unit.inferenceCalls += 1;
    if (type === 'tool') unit.toolCalls += 1;
    if (spans === undefined && (genAi === undefined || type === undefined)) return;
    const timed = { from: Math.min(unit.decidedAt, at), to: at };
    if (type === 'model') this.#observeModel(unit, entry, timed);
    else if (type === 'tool') this.#observeTool(unit, entry, timed);
    else this.#observePlainStep(unit, entry, timed);
  }

  #observeModel(unit: UnitTrack, { data }: StepEntry, timed: Timed): void {
    const { runId, genAi, spans } = this.#options;
    const step = modelStepOf(data);
    if (genAi !== undefined) recordModelCall(genAi, step, timed);
    const conversation = genAi === undefined ? undefined : conversationOf(unit, runId);
    spans?.work(unit, modelSpan(step, timed, conversation));
  }

  #observeTool(unit: UnitTrack, { key = '', data }: StepEntry, timed: Timed): void {
    const { genAi, spans } = this.#options;
    const call = { ...toolStepOf(key, data, unit.callIds), agent: nameInvocation(unit) };
    if (genAi !== undefined) recordToolCall(genAi, call, timed);
    spans?.work(unit, toolSpan(call, timed, genAi !== undefined));
  }

  #observePlainStep(unit: UnitTrack, entry: StepEntry, { from, to }: Timed): void {
    const { spans } = this.#options;
    const { key = '', data } = entry;
    // The steps with which a stage begins are the pipeline's own, and say nothing that its span does not.
    if (unit.isStage && (key === stageKey || parseUsingKey(key) !== undefined)) return;
    const error = data.ok ? undefined : { type: data.error.name, message: data.error.name };
    const ofWorkflow = unit.isWorkflow ? workflowStepSpan(entry, unit, { from, to }) : undefined;
    if (ofWorkflow !== undefined) {
      spans?.step(unit, ofWorkflow);
      return;
    }
    const suggestor = unit.cycle === undefined ? undefined : parseSuggestorKey(key)?.suggestor;
    if (suggestor === undefined)
      spans?.step(unit, { name: 'fullstop.step', from, to, attributes: { 'fullstop.step': key }, error });
    else {
      const attributes = { 'fullstop.suggestor': suggestor };
      spans?.work(unit, { name: 'fullstop.suggestor', from, to, attributes, error });
    }
  }
}
