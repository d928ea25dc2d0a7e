import type { Link, SpanContext, Tracer } from '@opentelemetry/api';
import type { EntryDraft, JournalEntry } from '../engines/port/journal-entry.js';
import { outcome as outcomeOfKind } from '../termination/classify.js';
import type { Outcome } from '../termination/ending.js';
import { isObject, type JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { builtIns } from '../termination/registry.js';
import { tagOf } from '../termination/tag-of.js';
import { agentAttributes, recordChat, spanOfStep, type Timed } from './gen-ai.js';
import type { Instruments } from './instruments.js';
import { type AgentStep, agentStepOf, usageOf } from './model-step.js';
import type { Runtime } from './options.js';
import { RunMetrics, type UsedBefore } from './run-metrics.js';
import { runtimeOf } from './runtime-of.js';
import { SpanTree } from './span-tree.js';
import { pausedAt, stageOf, Units, type UnitTrack } from './units.js';
import type { Words } from './words.js';

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
  readonly #spans: SpanTree;
  readonly #units: Units;
  readonly #requests = new Map<string, number>();
  #runtime: Runtime | undefined;
  #usedBefore: UsedBefore = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
  /** False while it learns from what was there before. */
  readonly #live: boolean = false;
  #begun = false;
  readonly #isStart: boolean;
  #over = false;

  constructor(settings: ObserverSettings, segment: ObservedSegment) {
    this.#settings = settings;
    this.#segment = segment;
    const { name, runId } = segment;
    this.#runtime = settings.runtimes[name];
    this.#metrics = new RunMetrics(settings.instruments, settings.words, name);
    this.#spans = new SpanTree({
      tracer: settings.tracer,
      parent: segment.parent,
      links: segment.links ?? [],
      attributes: { 'fullstop.run.id': runId, 'fullstop.run.name': name, 'fullstop.segment': segment.segment },
    });
    this.#units = new Units(name, segment.history?.[0]?.at ?? segment.startedAt);
    for (const entry of segment.history ?? []) this.#take(entry);
    this.#isStart = segment.segment === 1 && (segment.history ?? []).every(({ type }) => type === 'run_started');
    for (const unit of this.#units.all()) this.#goOn(unit);
    this.#live = true;
    this.#spans.of(this.#units.root, segment.startedAt);
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
    this.#spans.close(at, reason);
    if (this.#begun) this.#metrics.active(this.#runtime ?? 'run', -1);
  }

  #take(entry: EntryDraft): void {
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

  /** A unit that was under way goes on with the segment. */
  #goOn(unit: UnitTrack): void {
    const { startedAt } = this.#segment;
    unit.decidedAt = startedAt;
    if (unit.parent === undefined || unit.since !== undefined) unit.since = startedAt;
  }

  #opened(entry: EntryDraft<'scope_opened'>): void {
    const unit = this.#units.open(entry);
    if (!this.#live) return;
    // What suggestors use belongs to their cycle.
    if (unit.parent?.cycle !== undefined && unit.parent.cycle > 0) this.#spans.iteration(unit.parent, entry.at);
    this.#spans.of(unit, entry.at);
  }

  #recorded({ scope, key, data, at }: EntryDraft<'recorded'>): void {
    const unit = this.#units.at(scope);
    if (unit === undefined) return;
    if (key !== undefined && isCycle(key)) this.#cycleEnded(unit, Number(key.slice('cycle '.length)), at);
    unit.decidedAt = at;
    const value = data.ok ? data.value : undefined;
    if (key === 'pipeline') this.#announcePipeline(unit, value);
    else if (key === 'phase' && isObject(value) && typeof value['phase'] === 'string') {
      unit.isStage = false;
      unit.phase = value['phase'];
      if (this.#live) this.#spans.of(unit, at).updateName('fullstop.phase');
    }
  }

  /** A merge ends its cycle; the next one begins with whoever it wakes. */
  #cycleEnded(unit: UnitTrack, cycle: number, at: number): void {
    unit.cycle = cycle;
    if (this.#live) {
      this.#spans.iteration(unit, Math.min(unit.decidedAt, at));
      this.#spans.endIteration(unit, at);
    }
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
    const step = agentStepOf(entry);
    if (step?.type === 'model') unit.isAgent = true;
    if (entry.key?.startsWith('using:')) unit.definition = entry.key.slice('using:'.length);
    if (this.#live) this.#tellStep(unit, step, entry);
    // Calls of a round begin together, and so do suggestors: only what the model said, or a merge, moves the time on.
    if (step?.type !== 'tool' && unit.cycle === undefined) unit.decidedAt = entry.at;
  }

  #tellStep(unit: UnitTrack, step: AgentStep | undefined, entry: EntryDraft<'step_ended'>): void {
    const stage = entry.data.charge === undefined ? undefined : stageOf(unit);
    if (stage !== undefined) this.#metrics.stageTokens(stage, usageOf(entry.data));
    const { genAi, instruments } = this.#settings;
    const timed = { from: Math.min(unit.decidedAt, entry.at), to: entry.at };
    if (step === undefined) {
      this.#tellPlainStep(unit, entry, timed);
      return;
    }
    if (genAi && step.type === 'model') {
      const span = this.#spans.of(unit, timed.from);
      const name = unit.definition ?? unit.name;
      span.updateName(`invoke_agent ${name}`);
      span.setAttributes(agentAttributes(name));
      recordChat(instruments, step, timed);
    }
    this.#spans.work(unit, spanOfStep(step, timed, genAi));
  }

  #tellPlainStep(unit: UnitTrack, { key = '', data }: EntryDraft<'step_ended'>, timed: Timed): void {
    // The steps with which a stage begins are the pipeline's own, and say nothing that its span does not.
    if (unit.isStage && (key === 'stage' || key.startsWith('using:'))) return;
    const error = data.ok ? undefined : { type: data.error.name, message: data.error.name };
    const [, suggestor] = unit.cycle === undefined ? [] : (/^\d+:(.*)$/s.exec(key) ?? []);
    if (suggestor === undefined)
      this.#spans.step(unit, { name: 'fullstop.step', ...timed, attributes: { 'fullstop.step': key }, error });
    else {
      const attributes = { 'fullstop.suggestor': suggestor };
      this.#spans.work(unit, { name: 'fullstop.suggestor', ...timed, attributes, error });
    }
  }

  #observed({ scope, data, at }: EntryDraft<'observed'>): void {
    const unit = this.#units.at(scope);
    if (unit === undefined || typeof data['point'] !== 'string') return;
    unit.decidedAt = at;
    const isOver = data['point'] === 'after_iteration';
    if (this.#live) {
      const stage = stageOf(unit);
      if (stage !== undefined) for (const tool of failedTools(data['calls'])) this.#metrics.toolFailed(stage, tool);
      if (isOver) this.#spans.endIteration(unit, at);
    }
    if (isOver) unit.iterations += 1;
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

  #unitEnded(entry: EntryDraft<'unit_ended'>): void {
    const unit = this.#units.end(entry);
    if (unit === undefined) return;
    const { termination, output } = entry.data;
    const durationMs = pausedAt(unit, entry.at);
    const around = this.#units.at(entry.scope);
    if (around !== undefined) around.decidedAt = entry.at;
    if (!this.#live) return;
    const report = unit.isStage && isObject(output) ? output : {};
    const outcome = (report['outcome'] as Outcome | undefined) ?? outcomeOf(termination);
    const tag = typeof report['tag'] === 'string' ? report['tag'] : tagOf(termination);
    if (unit.isStage) this.#metrics.stageEnded({ stage: unit, outcome, tag, termination, durationMs });
    if (unit.pipeline !== undefined) this.#metrics.pipelineEnded(unit.pipeline, outcome, durationMs);
    this.#spans.end(unit, { at: entry.at, outcome, tag, termination, ...this.#finish(unit, tag) });
    // A later segment may take it up again, with a span and a duration of its own.
    unit.durationMs = 0;
  }

  #finish(unit: UnitTrack, tag: string): { readonly attributes?: { readonly [key: string]: string } } {
    const isInvoked = this.#settings.genAi && unit.isAgent;
    return isInvoked ? { attributes: { 'gen_ai.agent.finish_reason': tag } } : {};
  }

  #segmentEnded({ at, data }: EntryDraft<'segment_ended'>): void {
    const { envelope } = data;
    for (const unit of this.#units.all()) pausedAt(unit, at);
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
      this.#spans.end(root, { at, outcome, tag, termination, ...this.#finish(root, tag) });
      this.close(at, outcome);
    }
    const { inputTokens, outputTokens } = envelope.usage;
    this.#usedBefore = { inputTokens, outputTokens, costUsd: envelope.costUsd ?? this.#usedBefore.costUsd };
  }
}

function isCycle(key: string): boolean {
  return /^cycle \d+$/.test(key);
}

/** Names that a model made up stand for themselves in the journal, but not in a metric. */
function failedTools(calls: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    if (!isObject(call) || call['ok'] !== false || typeof call['tool'] !== 'string') return [];
    return [call['mistake'] === 'unknown_tool' ? 'unknown' : call['tool']];
  });
}

/** The outcome of an ending whose definition may be known to its program only; then its category cannot be asked. */
function outcomeOf(termination: AnyTermination): Outcome {
  try {
    return builtIns.find(termination.kind) === undefined ? 'failed' : outcomeOfKind(termination);
  } catch {
    return 'failed';
  }
}
