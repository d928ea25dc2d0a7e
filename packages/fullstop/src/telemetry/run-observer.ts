import type { Link, SpanContext, Tracer } from '@opentelemetry/api';
import { parseCycleKey } from '../convergence/machine/convergence-key.js';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import { parseUsingKey } from '../pipeline/machine/pipeline-key.js';
import { ActiveTimeline } from '../run/accounts/active-timeline.js';
import { outcome as outcomeOfKind } from '../termination/classify.js';
import type { Outcome } from '../termination/ending.js';
import { isObject, type JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { builtIns } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import { invocationOf, recordInvocation } from './gen-ai/invocation.js';
import { agentStepType, callIdsOf } from './journal/model-step.js';
import { runtimeOf } from './journal/runtime-of.js';
import { isInGroup, stageOf, Units, type UnitTrack } from './journal/units.js';
import type { Instruments } from './metrics/instruments.js';
import { RunMetrics, type UsedBefore } from './metrics/run-metrics.js';
import type { Words } from './metrics/words.js';
import type { RunType } from './options.js';
import { SpanTree } from './spans/span-tree.js';
import { isWorkflowStart, observeWorkflow, workflowStepSpan } from './spans/workflow-steps.js';
import { StepObserver } from './step-observer.js';

/** One segment of a run that is to be observed. */
export interface ObservedSegment {
  readonly runId: string;
  readonly name: string;
  readonly segment: number;
  readonly startedAt: number;
  /** The entries before it: they are learned from, and not counted again. */
  readonly history?: readonly JournalEntry[];
  readonly parent?: SpanContext | undefined;
  readonly links?: readonly Link[];
}

export interface ObserverSettings {
  readonly instruments: Instruments;
  readonly tracer: Tracer;
  readonly words: Words;
  readonly runtimes: Readonly<Record<string, RunType>>;
}

/** How a segment is closed. */
interface Closing {
  readonly at: number;
  readonly reason: string;
  /** The kind of the ending, where it is a failure. */
  readonly failure?: string | undefined;
}

/** Turns the entries of one segment into metrics and spans, as they come. */
export class RunObserver {
  readonly #settings: ObserverSettings;
  readonly #segment: ObservedSegment;
  readonly #metrics: RunMetrics;
  /** Undefined when nobody traces. */
  readonly #spans: SpanTree | undefined;
  readonly #steps: StepObserver;
  readonly #units: Units;
  readonly #requests = new Map<string, number>();
  readonly #timeline = new ActiveTimeline();
  #runtime: RunType | undefined;
  #usedBefore: UsedBefore = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  /** False while it learns from what was there before. */
  readonly #live: boolean = false;
  #begun = false;
  readonly #isStart: boolean;
  #over = false;
  readonly #onOver: () => void;

  constructor(settings: ObserverSettings, segment: ObservedSegment, onOver: () => void) {
    this.#settings = settings;
    this.#onOver = onOver;
    this.#segment = segment;
    const { name } = segment;
    // A run may have a name that every object has, such as `constructor`.
    this.#runtime = Object.hasOwn(settings.runtimes, name) ? settings.runtimes[name] : undefined;
    this.#metrics = new RunMetrics(settings.instruments, settings.words, name);
    this.#units = new Units(name, segment.history?.[0]?.at ?? segment.startedAt);
    for (const entry of segment.history ?? []) this.#take(entry);
    this.#isStart = segment.segment === 1 && (segment.history ?? []).every(({ type }) => type === 'run_started');
    // What was under way continues with the segment.
    for (const unit of this.#units.all()) unit.startedAt = unit.decidedAt = segment.startedAt;
    this.#live = true;
    this.#spans = this.#beginSpans();
    const { runId } = segment;
    const { genAi } = settings.instruments;
    this.#steps = new StepObserver({ runId, metrics: this.#metrics, genAi, spans: this.#spans });
  }

  #beginSpans(): SpanTree | undefined {
    const { tracer, instruments } = this.#settings;
    const { runId, name, segment, parent, links = [] } = this.#segment;
    const attributes = { 'fullstop.run.id': runId, 'fullstop.run.name': name, 'fullstop.segment': segment };
    const labelOf = (unit: UnitTrack) => (instruments.genAi === undefined ? undefined : invocationOf(unit, runId));
    return SpanTree.begin(this.#units.root, { tracer, parent, links, attributes, invocationOf: labelOf });
  }

  /** The context of the span of the segment, for links from later ones. */
  readonly spanContext = (): SpanContext | undefined => this.#units.root.span?.spanContext();

  entry(entry: EntryDraft): void {
    if (this.#over) return;
    this.#take(entry);
  }

  /** Nothing more is seen of the segment here: spans end, and it is not active any more. */
  close(at: number, reason: string): void {
    this.#close({ at, reason });
  }

  #close({ at, reason, failure }: Closing): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver();
    if (this.#begun)
      for (const unit of this.#units.all())
        this.#endInvocation(unit, at, unit === this.#units.root ? failure : undefined);
    this.#spans?.close(this.#units.all(), at, reason);
    if (this.#begun) this.#metrics.active(this.#runtime ?? 'run', -1);
  }

  #take(entry: EntryDraft): void {
    this.#timeline.add(entry);
    this.#runtime ??= runtimeOf(entry);
    this.#name(this.#units.root, operationOf(this.#runtime));
    if (this.#live && !this.#begun && (entry.ordinal >= 0 || entry.type === 'segment_ended')) this.#begin();
    switch (entry.type) {
      case 'scope_opened':
        this.#openUnit(entry);
        return;
      case 'recorded':
        this.#observeRecord(entry);
        return;
      case 'step_ended':
        this.#endStep(entry);
        return;
      case 'observed':
        this.#observePoint(entry);
        return;
      case 'request_opened':
        this.#requests.set(entry.data.request.id, entry.at);
        if (this.#live) this.#metrics.gateOpened(this.#runtime ?? 'run');
        return;
      case 'request_answered':
        this.#closeRequest(entry.data.answer.requestId, entry, 'answered');
        return;
      case 'request_expired':
        this.#closeRequest(entry.data.requestId, entry, 'expired');
        return;
      case 'request_withdrawn':
        this.#withdrawRequest(entry.data.requestId);
        return;
      case 'unit_ended':
        this.#endUnit(entry);
        return;
      case 'segment_ended':
        this.#endSegment(entry);
        return;
      default:
    }
  }

  #begin(): void {
    this.#begun = true;
    const runtime = this.#runtime ?? 'run';
    if (this.#isStart) this.#metrics.started(runtime);
    this.#metrics.active(runtime, 1);
  }

  #openUnit(entry: EntryDraft<'scope_opened'>): void {
    const unit = this.#units.open(entry, this.#timeline.at(entry.at));
    // A sub-agent is a tool of its parent.
    if (this.#live && entry.data.attempt === 1 && unit.parent?.operation === 'invoke_agent') unit.parent.toolCalls += 1;
    if (this.#spans === undefined) return;
    // What suggestors use belongs to their cycle.
    if (unit.parent?.cycle !== undefined && unit.parent.cycle > 0) this.#spans.iteration(unit.parent, entry.at);
    this.#spans.of(unit, entry.at);
  }

  #observeRecord(entry: EntryDraft<'recorded'>): void {
    const { scope, key, data, at } = entry;
    const unit = this.#units.at(scope);
    if (unit === undefined) return;
    if (isWorkflowStart(entry)) {
      unit.isWorkflow = true;
      this.#name(unit, 'invoke_workflow');
    }
    if (unit.isWorkflow && this.#spans !== undefined) {
      const span = workflowStepSpan(entry, unit, { from: Math.min(unit.decidedAt, at), to: at });
      if (span !== undefined) this.#spans.step(unit, span);
    }
    const cycle = parseCycleKey(key ?? '');
    if (cycle !== undefined) {
      this.#name(unit, 'invoke_workflow');
      this.#endCycle(unit, cycle, at);
    }
    unit.decidedAt = at;
    const value = data.ok ? data.value : undefined;
    if (key === 'pipeline') this.#announcePipeline(unit, value);
    else if (key === 'phase' && isObject(value) && typeof value['phase'] === 'string') {
      unit.isStage = false;
      unit.phase = value['phase'];
      this.#spans?.of(unit, at).updateName('fullstop.phase');
    }
  }

  /** A merge ends its cycle; the next one begins with the suggestors that it wakes. */
  #endCycle(unit: UnitTrack, cycle: number, at: number): void {
    unit.cycle = cycle;
    this.#spans?.iteration(unit, Math.min(unit.decidedAt, at));
    this.#spans?.endIteration(unit, at);
    unit.cycle = cycle + 1;
  }

  #announcePipeline(unit: UnitTrack, value: JsonValue | undefined): void {
    if (!isObject(value) || typeof value['pipeline'] !== 'string' || unit.pipeline !== undefined) return;
    unit.pipeline = value['pipeline'];
    this.#name(unit, 'invoke_workflow');
    if (this.#live) this.#metrics.pipelineStarted(unit.pipeline);
  }

  #endStep(entry: EntryDraft<'step_ended'>): void {
    const unit = this.#units.at(entry.scope);
    if (unit === undefined) return;
    const { key = '' } = entry;
    const type = agentStepType(key);
    if (type === undefined) unit.definition = parseUsingKey(key) ?? unit.definition;
    if (type === 'model') {
      unit.callIds = callIdsOf(entry.data);
      this.#name(unit, 'invoke_agent');
    }
    if (this.#live) this.#steps.observe(unit, type, entry);
    // Calls of a round begin together, and so do suggestors and members of a group: only an answer of the model, or a merge,
    // moves the time on.
    if (type !== 'tool' && unit.cycle === undefined && !isInGroup(unit)) unit.decidedAt = entry.at;
  }

  #observePoint(entry: EntryDraft<'observed'>): void {
    const { scope, data, at } = entry;
    const unit = this.#units.at(scope);
    if (unit?.isWorkflow) observeWorkflow(unit, entry, this.#spans);
    if (unit === undefined || typeof data['point'] !== 'string') return;
    unit.decidedAt = at;
    if (this.#live && data['calls'] !== undefined) this.#countFailedTools(unit, data['calls']);
    if (data['point'] !== 'after_iteration') return;
    this.#spans?.endIteration(unit, at);
    unit.iterations += 1;
  }

  /** Names that a model made up are in the journal as they are, but not in a metric. */
  #countFailedTools(unit: UnitTrack, calls: JsonValue): void {
    const stage = stageOf(unit);
    if (stage === undefined || !Array.isArray(calls)) return;
    for (const call of calls as readonly JsonValue[]) {
      if (!isObject(call) || call['ok'] !== false || typeof call['tool'] !== 'string') continue;
      this.#metrics.toolFailed(stage, call['mistake'] === 'unknown_tool' ? 'unknown' : call['tool']);
    }
  }

  #closeRequest(requestId: string, { scope, at }: EntryDraft, result: 'answered' | 'expired'): void {
    const since = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    const unit = this.#units.at(scope);
    if (unit !== undefined) unit.decidedAt = at;
    if (!this.#live || since === undefined) return;
    this.#metrics.waited(this.#runtime ?? 'run', Math.max(0, at - since));
    this.#metrics.gatesClosed(this.#runtime ?? 'run', result, 1);
  }

  #withdrawRequest(requestId: string): void {
    if (this.#requests.delete(requestId) && this.#live) this.#metrics.gatesClosed(this.#runtime ?? 'run', 'dropped', 1);
  }

  #endUnit(entry: EntryDraft<'unit_ended'>): void {
    const unit = this.#units.end(entry);
    if (unit === undefined) return;
    const { termination, output, outcome: ownOutcome, tag: ownTag, dialects } = entry.data;
    const durationMs = Math.max(0, this.#timeline.at(entry.at) - unit.since);
    const parent = this.#units.at(entry.scope);
    if (parent !== undefined) parent.decidedAt = entry.at;
    if (!this.#live) return;
    const report = unit.isStage && isObject(output) ? output : undefined;
    const outcome = (report?.['outcome'] as Outcome | undefined) ?? ownOutcome ?? outcomeOf(termination);
    const tag = typeof report?.['tag'] === 'string' ? report['tag'] : (ownTag ?? tagOf(termination));
    if (unit.isStage) this.#metrics.stageEnded({ stage: unit, outcome, tag, termination, dialects, durationMs });
    if (unit.pipeline !== undefined) this.#metrics.pipelineEnded(unit.pipeline, outcome, durationMs);
    this.#endInvocation(unit, entry.at, outcome === 'failed' ? termination.kind : undefined);
    this.#spans?.end(unit, { at: entry.at, outcome, tag, termination });
  }

  /** Learns what a unit is an execution of; its span may have begun before anyone knew. */
  #name(unit: UnitTrack, operation: UnitTrack['operation']): void {
    if (operation === undefined || unit.operation !== undefined) return;
    unit.operation = operation;
    if (this.#live) this.#spans?.rename(unit);
  }

  /** Records the part of an agent or workflow that was executed in this segment, however its span ends. */
  #endInvocation(unit: UnitTrack, at: number, failure?: string): void {
    const { genAi } = this.#settings.instruments;
    if (genAi !== undefined) recordInvocation(genAi, unit, { at, failure });
    unit.inferenceCalls = unit.toolCalls = 0;
  }

  #endSegment({ at, data }: EntryDraft<'segment_ended'>): void {
    const { envelope } = data;
    if (this.#live) {
      const runtime = this.#runtime ?? 'run';
      const { root } = this.#units;
      const { outcome, tag, termination } = envelope;
      // After any other ending nobody is asked any more.
      if (outcome !== 'paused') this.#metrics.gatesClosed(runtime, 'dropped', this.#requests.size);
      this.#metrics.ended(runtime, { ...envelope, persisted: true }, this.#usedBefore);
      // A pipeline that waits for someone is counted when it is done.
      if (root.pipeline !== undefined && outcome !== 'paused')
        this.#metrics.pipelineEnded(root.pipeline, outcome, envelope.durationMs);
      this.#spans?.end(root, { at, outcome, tag, termination });
      this.#close({ at, reason: outcome, failure: outcome === 'failed' ? termination.kind : undefined });
    }
    const { inputTokens, outputTokens } = envelope.usage;
    this.#usedBefore = { inputTokens, outputTokens, costUsd: envelope.costUsd ?? this.#usedBefore.costUsd };
  }
}

/** The operation that the GenAI conventions have for a run; a run defined with `defineRun` may be anything. */
function operationOf(runtime: RunType | undefined): UnitTrack['operation'] {
  if (runtime === undefined || runtime === 'run') return undefined;
  return runtime === 'agent' ? 'invoke_agent' : 'invoke_workflow';
}

/** The outcome of an ending whose kind decides it; one of an unknown kind is a failure. */
function outcomeOf(termination: AnyTermination): Outcome {
  try {
    return builtIns.find(termination.kind) === undefined ? 'failed' : outcomeOfKind(termination);
  } catch {
    return 'failed';
  }
}
