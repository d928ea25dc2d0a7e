import type { Link, SpanContext, Tracer } from '@opentelemetry/api';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import { ActiveTimeline } from '../run/accounts/active-timeline.js';
import { outcome as outcomeOfKind } from '../termination/classify.js';
import type { Outcome } from '../termination/ending.js';
import { isObject, type JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { builtIns } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import { agentAttributes, modelSpan, recordChat, type Timed, toolSpan } from './gen-ai/gen-ai.js';
import { agentStepType, modelStepOf, toolStepOf, usageOf } from './journal/model-step.js';
import { runtimeOf } from './journal/runtime-of.js';
import { isInGroup, stageOf, Units, type UnitTrack } from './journal/units.js';
import type { Instruments } from './metrics/instruments.js';
import { RunMetrics, type UsedBefore } from './metrics/run-metrics.js';
import type { Words } from './metrics/words.js';
import type { Runtime } from './options.js';
import { SpanTree } from './spans/span-tree.js';
import { isWorkflowStart, observeWorkflow, workflowStepSpan } from './spans/workflow-steps.js';

/** One segment of a run that is to be observed. */
export interface ObservedSegment {
  readonly runId: string;
  readonly name: string;
  readonly segment: number;
  readonly startedAt: number;
  /** What the journal held before: it is learned from, and not counted again. */
  readonly history?: readonly JournalEntry[];
  readonly parent?: SpanContext | undefined;
  readonly links?: readonly Link[];
}

export interface ObserverSettings {
  readonly instruments: Instruments;
  readonly tracer: Tracer;
  readonly words: Words;
  readonly runtimes: Readonly<Record<string, Runtime>>;
  readonly genAi: boolean;
}

/** Turns the entries of one segment into metrics and spans, as they come. */
export class RunObserver {
  readonly #settings: ObserverSettings;
  readonly #segment: ObservedSegment;
  readonly #metrics: RunMetrics;
  /** Undefined when nobody traces. */
  readonly #spans: SpanTree | undefined;
  readonly #units: Units;
  readonly #requests = new Map<string, number>();
  readonly #timeline = new ActiveTimeline();
  #runtime: Runtime | undefined;
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
    // What was under way goes on with the segment.
    for (const unit of this.#units.all()) unit.takenUpAt = unit.decidedAt = segment.startedAt;
    this.#live = true;
    this.#spans = this.#beginSpans();
  }

  #beginSpans(): SpanTree | undefined {
    const { tracer } = this.#settings;
    const { runId, name, segment, parent, links = [], startedAt } = this.#segment;
    const attributes = { 'fullstop.run.id': runId, 'fullstop.run.name': name, 'fullstop.segment': segment };
    return SpanTree.begin(this.#units.root, startedAt, { tracer, parent, links, attributes });
  }

  /** The context of the span of the segment, for links from later ones. */
  readonly spanContext = (): SpanContext | undefined => this.#units.root.span?.spanContext();

  entry(entry: EntryDraft): void {
    if (this.#over) return;
    this.#take(entry);
  }

  /** Nothing more is heard of the segment here: spans end, and it is not active any more. */
  close(at: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#onOver();
    this.#spans?.close(this.#units.all(), at, reason);
    if (this.#begun) this.#metrics.active(this.#runtime ?? 'run', -1);
  }

  #take(entry: EntryDraft): void {
    this.#timeline.add(entry);
    this.#runtime ??= runtimeOf(entry);
    if (this.#live && !this.#begun && (entry.ordinal >= 0 || entry.type === 'segment_ended')) this.#begin();
    switch (entry.type) {
      case 'scope_opened':
        this.#opened(entry);
        return;
      case 'recorded':
        this.#recorded(entry);
        return;
      case 'step_ended':
        this.#stepEnded(entry);
        return;
      case 'observed':
        this.#observed(entry);
        return;
      case 'request_opened':
        this.#requests.set(entry.data.request.id, entry.at);
        if (this.#live) this.#metrics.gateOpened(this.#runtime ?? 'run');
        return;
      case 'request_answered':
        this.#answered(entry.data.answer.requestId, entry, 'answered');
        return;
      case 'request_expired':
        this.#answered(entry.data.requestId, entry, 'expired');
        return;
      case 'request_withdrawn':
        this.#withdrawn(entry.data.requestId);
        return;
      case 'unit_ended':
        this.#unitEnded(entry);
        return;
      case 'segment_ended':
        this.#segmentEnded(entry);
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

  #opened(entry: EntryDraft<'scope_opened'>): void {
    const unit = this.#units.open(entry, this.#timeline.at(entry.at));
    if (this.#spans === undefined) return;
    // What suggestors use belongs to their cycle.
    if (unit.parent?.cycle !== undefined && unit.parent.cycle > 0) this.#spans.iteration(unit.parent, entry.at);
    this.#spans.of(unit, entry.at);
  }

  #recorded(entry: EntryDraft<'recorded'>): void {
    const { scope, key, data, at } = entry;
    const unit = this.#units.at(scope);
    if (unit === undefined) return;
    if (isWorkflowStart(entry)) unit.isWorkflow = true;
    if (unit.isWorkflow && this.#spans !== undefined) {
      const span = workflowStepSpan(entry, Math.min(unit.decidedAt, at), at);
      if (span !== undefined) this.#spans.step(unit, span);
    }
    if (key !== undefined && isCycle(key)) this.#cycleEnded(unit, Number(key.slice('cycle '.length)), at);
    unit.decidedAt = at;
    const value = data.ok ? data.value : undefined;
    if (key === 'pipeline') this.#announcePipeline(unit, value);
    else if (key === 'phase' && isObject(value) && typeof value['phase'] === 'string') {
      unit.isStage = false;
      unit.phase = value['phase'];
      this.#spans?.of(unit, at).updateName('fullstop.phase');
    }
  }

  /** A merge ends its cycle; the next one begins with whoever it wakes. */
  #cycleEnded(unit: UnitTrack, cycle: number, at: number): void {
    unit.cycle = cycle;
    this.#spans?.iteration(unit, Math.min(unit.decidedAt, at));
    this.#spans?.endIteration(unit, at);
    unit.cycle = cycle + 1;
  }

  #announcePipeline(unit: UnitTrack, value: JsonValue | undefined): void {
    if (!isObject(value) || typeof value['pipeline'] !== 'string' || unit.pipeline !== undefined) return;
    unit.pipeline = value['pipeline'];
    if (this.#live) this.#metrics.pipelineStarted(unit.pipeline);
  }

  #stepEnded(entry: EntryDraft<'step_ended'>): void {
    const unit = this.#units.at(entry.scope);
    if (unit === undefined) return;
    const { key = '' } = entry;
    const type = agentStepType(key);
    if (type === undefined && key.startsWith('using:')) unit.definition = key.slice('using:'.length);
    if (this.#live) this.#tellStep(unit, type, entry);
    if (type === 'model') unit.isAgent = true;
    // Calls of a round begin together, and so do suggestors and members of a group: only what the model said, or a merge, moves the time on.
    if (type !== 'tool' && unit.cycle === undefined && !isInGroup(unit)) unit.decidedAt = entry.at;
  }

  #tellStep(unit: UnitTrack, type: 'model' | 'tool' | undefined, entry: EntryDraft<'step_ended'>): void {
    const { data, key = '', at } = entry;
    const stage = data.charge === undefined ? undefined : stageOf(unit);
    if (stage !== undefined) this.#metrics.stageTokens(stage, usageOf(data));
    if (this.#spans === undefined && !(this.#settings.genAi && type === 'model')) return;
    const timed = { from: Math.min(unit.decidedAt, at), to: at };
    if (type === 'model') this.#tellModel(unit, data, timed);
    else if (type === undefined) this.#tellPlainStep(unit, entry, timed);
    else this.#spans?.work(unit, toolSpan(toolStepOf(key, data), timed, this.#settings.genAi));
  }

  #tellModel(unit: UnitTrack, data: EntryDraft<'step_ended'>['data'], timed: Timed): void {
    const { genAi, instruments } = this.#settings;
    const step = modelStepOf(data);
    if (genAi) recordChat(instruments, step, timed);
    if (this.#spans === undefined) return;
    if (genAi && !unit.isInvoked) {
      const span = this.#spans.of(unit, timed.from);
      const name = unit.definition ?? unit.name;
      span.updateName(`invoke_agent ${name}`);
      span.setAttributes(agentAttributes(name, step));
      unit.isInvoked = true;
    }
    this.#spans.work(unit, modelSpan(step, timed, genAi));
  }

  #tellPlainStep(unit: UnitTrack, entry: EntryDraft<'step_ended'>, { from, to }: Timed): void {
    const { key = '', data } = entry;
    // The steps with which a stage begins are the pipeline's own, and say nothing that its span does not.
    if (unit.isStage && (key === 'stage' || key.startsWith('using:'))) return;
    const error = data.ok ? undefined : { type: data.error.name, message: data.error.name };
    const ofWorkflow = unit.isWorkflow ? workflowStepSpan(entry, from, to) : undefined;
    if (ofWorkflow !== undefined) {
      this.#spans?.step(unit, ofWorkflow);
      return;
    }
    const [, suggestor] = unit.cycle === undefined ? [] : (/^\d+:(.*)$/s.exec(key) ?? []);
    if (suggestor === undefined)
      this.#spans?.step(unit, { name: 'fullstop.step', from, to, attributes: { 'fullstop.step': key }, error });
    else {
      const attributes = { 'fullstop.suggestor': suggestor };
      this.#spans?.work(unit, { name: 'fullstop.suggestor', from, to, attributes, error });
    }
  }

  #observed(entry: EntryDraft<'observed'>): void {
    const { scope, data, at } = entry;
    const unit = this.#units.at(scope);
    if (unit?.isWorkflow) observeWorkflow(unit, entry, this.#spans);
    if (unit === undefined || typeof data['point'] !== 'string') return;
    unit.decidedAt = at;
    if (this.#live && data['calls'] !== undefined) this.#tellFailedTools(unit, data['calls']);
    if (data['point'] !== 'after_iteration') return;
    this.#spans?.endIteration(unit, at);
    unit.iterations += 1;
  }

  /** Names that a model made up stand for themselves in the journal, but not in a metric. */
  #tellFailedTools(unit: UnitTrack, calls: JsonValue): void {
    const stage = stageOf(unit);
    if (stage === undefined || !Array.isArray(calls)) return;
    for (const call of calls as readonly JsonValue[]) {
      if (!isObject(call) || call['ok'] !== false || typeof call['tool'] !== 'string') continue;
      this.#metrics.toolFailed(stage, call['mistake'] === 'unknown_tool' ? 'unknown' : call['tool']);
    }
  }

  #answered(requestId: string, { scope, at }: EntryDraft, result: 'answered' | 'expired'): void {
    const since = this.#requests.get(requestId);
    this.#requests.delete(requestId);
    const unit = this.#units.at(scope);
    if (unit !== undefined) unit.decidedAt = at;
    if (!this.#live || since === undefined) return;
    this.#metrics.waited(this.#runtime ?? 'run', Math.max(0, at - since));
    this.#metrics.gatesClosed(this.#runtime ?? 'run', result, 1);
  }

  #withdrawn(requestId: string): void {
    if (this.#requests.delete(requestId) && this.#live) this.#metrics.gatesClosed(this.#runtime ?? 'run', 'dropped', 1);
  }

  #unitEnded(entry: EntryDraft<'unit_ended'>): void {
    const unit = this.#units.end(entry);
    if (unit === undefined) return;
    const { termination, output, outcome: toldOutcome, tag: toldTag, dialects } = entry.data;
    const durationMs = Math.max(0, this.#timeline.at(entry.at) - unit.since);
    const around = this.#units.at(entry.scope);
    if (around !== undefined) around.decidedAt = entry.at;
    if (!this.#live) return;
    const report = unit.isStage && isObject(output) ? output : undefined;
    const outcome = (report?.['outcome'] as Outcome | undefined) ?? toldOutcome ?? outcomeOf(termination);
    const tag = typeof report?.['tag'] === 'string' ? report['tag'] : (toldTag ?? tagOf(termination));
    if (unit.isStage) this.#metrics.stageEnded({ stage: unit, outcome, tag, termination, dialects, durationMs });
    if (unit.pipeline !== undefined) this.#metrics.pipelineEnded(unit.pipeline, outcome, durationMs);
    this.#spans?.end(unit, { at: entry.at, outcome, tag, termination, finish: this.#isInvoked(unit) });
  }

  #isInvoked(unit: UnitTrack): boolean {
    return this.#settings.genAi && unit.isAgent;
  }

  #segmentEnded({ at, data }: EntryDraft<'segment_ended'>): void {
    const { envelope } = data;
    if (this.#live) {
      const runtime = this.#runtime ?? 'run';
      const { root } = this.#units;
      const { outcome, tag, termination } = envelope;
      // Behind any other ending nobody is asked any more.
      if (outcome !== 'paused') this.#metrics.gatesClosed(runtime, 'dropped', this.#requests.size);
      this.#metrics.ended(runtime, { ...envelope, persisted: true }, this.#usedBefore);
      // A pipeline that waits for someone is not through: it is counted when it is.
      if (root.pipeline !== undefined && outcome !== 'paused')
        this.#metrics.pipelineEnded(root.pipeline, outcome, envelope.durationMs);
      this.#spans?.end(root, { at, outcome, tag, termination, finish: this.#isInvoked(root) });
      this.close(at, outcome);
    }
    const { inputTokens, outputTokens } = envelope.usage;
    this.#usedBefore = { inputTokens, outputTokens, costUsd: envelope.costUsd ?? this.#usedBefore.costUsd };
  }
}

function isCycle(key: string): boolean {
  return /^cycle \d+$/.test(key);
}

/** The outcome of an ending whose kind says it; one that nobody tells about is a failure. */
function outcomeOf(termination: AnyTermination): Outcome {
  try {
    return builtIns.find(termination.kind) === undefined ? 'failed' : outcomeOfKind(termination);
  } catch {
    return 'failed';
  }
}
