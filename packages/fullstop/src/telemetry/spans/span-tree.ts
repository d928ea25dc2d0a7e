import {
  type Attributes,
  type Context,
  INVALID_SPANID,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Outcome } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { isInGroup, type UnitTrack } from '../journal/units.js';
import { hrTime } from './hr-time.js';

/** How a unit ended, for its span. */
interface SpanEnding {
  readonly at: number;
  readonly outcome: Outcome;
  readonly tag: string;
  readonly termination: AnyTermination;
  /** True for an agent whose ending the GenAI conventions want to know. */
  readonly finish: boolean;
}

/** Something that was done in one go, known when it was over. */
export interface SpanOfWork {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
  /** What went wrong. */
  readonly error?: { readonly type: string; readonly message: string } | undefined;
}

interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

interface SpanTreeOptions {
  readonly tracer: Tracer;
  readonly parent: SpanContext | undefined;
  readonly links: readonly Link[];
  readonly attributes: Attributes;
}

/** The spans of one segment: run, units, iterations. Everything else is a span that is ended as soon as it is made. */
export class SpanTree {
  readonly #tracer: Tracer;

  private constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Begins the span of the segment. Undefined when nobody traces: then no span of it is asked for. */
  static begin(root: UnitTrack, at: number, options: SpanTreeOptions): SpanTree | undefined {
    const { tracer, parent, links, attributes } = options;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const span = tracer.startSpan('fullstop.run', { startTime: hrTime(at), links: [...links], attributes }, context);
    const { spanId } = span.spanContext();
    // Without an SDK a span has no id, or hands on that of its parent. One that is not sampled has its own.
    if (spanId === INVALID_SPANID || spanId === parent?.spanId) return undefined;
    root.span = span;
    return new SpanTree(tracer);
  }

  /** The span of a unit, which is begun if there is none in this segment yet. */
  of(unit: UnitTrack, at: number): Span {
    unit.span ??= this.#begin(unit, at);
    return unit.span;
  }

  #begin(unit: UnitTrack, at: number): Span {
    const stageOrUnit = unit.isStage ? 'fullstop.stage' : 'fullstop.unit';
    const name = unit.phase === undefined ? stageOrUnit : 'fullstop.phase';
    const attributes: Attributes = { 'fullstop.unit': unit.name };
    const step = unit.parent?.step;
    if (step !== undefined && step.name === unit.name) attributes['fullstop.step.type'] = step.kind;
    const options = { startTime: hrTime(unit.takenUpAt ?? at), attributes };
    const around = unit.parent === undefined ? ROOT_CONTEXT : this.#inWhatIsDone(unit.parent, at);
    return this.#tracer.startSpan(name, options, around);
  }

  /** The span of what a unit goes through: the iteration of an agent, the cycle of a convergence, the group of a workflow. */
  iteration(unit: UnitTrack, at: number): Span {
    if (unit.iteration !== undefined) return unit.iteration;
    const { name, attributes } = passageOf(unit);
    unit.iteration = this.#tracer.startSpan(name, { startTime: hrTime(at), attributes }, this.#inside(unit, at));
    return unit.iteration;
  }

  endIteration(unit: UnitTrack, at: number, failure?: string): void {
    if (unit.iteration === undefined) return;
    if (failure !== undefined) {
      unit.iteration.setAttribute('error.type', failure);
      unit.iteration.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    }
    unit.iteration.end(hrTime(at));
    unit.iteration = undefined;
    unit.insideIteration = undefined;
  }

  /** Something that happened in a unit and took no time. */
  event(unit: UnitTrack, at: number, { name, attributes }: SpanEvent): void {
    this.of(unit, at).addEvent(name, attributes, hrTime(at));
  }

  /** Work in an iteration or a cycle. */
  work(unit: UnitTrack, work: SpanOfWork): void {
    this.iteration(unit, work.from);
    this.step(unit, work);
  }

  /** A step of a unit, in whatever it is just doing. */
  step(unit: UnitTrack, { name, kind = SpanKind.INTERNAL, from, to, attributes, error }: SpanOfWork): void {
    const context = this.#inWhatIsDone(unit, from);
    const span = this.#tracer.startSpan(name, { kind, startTime: hrTime(from), attributes }, context);
    if (error !== undefined) {
      span.setAttribute('error.type', error.type);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    }
    span.end(hrTime(to));
  }

  /** Ends the span of a unit, with the status that its outcome has. */
  end(unit: UnitTrack, { at, outcome, tag, termination, finish }: SpanEnding): void {
    this.endIteration(unit, at);
    const span = this.of(unit, at);
    span.setAttribute('fullstop.outcome', outcome);
    span.setAttribute('fullstop.termination', tag);
    if (finish) span.setAttribute('gen_ai.agent.finish_reason', tag);
    if (outcome === 'failed') {
      span.setAttribute('error.type', termination.kind);
      span.setStatus({ code: SpanStatusCode.ERROR, message: termination.kind });
    }
    if (termination.kind === 'failed') {
      const { name, message } = termination.error;
      span.recordException({ name, message }, hrTime(at));
    }
    finished(unit, at);
  }

  /** Ends everything that is still open, because this process hears no more of it. */
  close(units: Iterable<UnitTrack>, at: number, reason: string): void {
    for (const unit of [...units].filter(({ span }) => span !== undefined).reverse()) {
      this.endIteration(unit, at);
      unit.span?.setAttribute('fullstop.left', reason);
      finished(unit, at);
    }
  }

  /** The context of what stands in the span of a unit: one for all of them, since making it costs as much as half a span. */
  #inside(unit: UnitTrack, at: number): Context {
    unit.inside ??= trace.setSpan(ROOT_CONTEXT, this.of(unit, at));
    return unit.inside;
  }

  #inWhatIsDone(unit: UnitTrack, at: number): Context {
    // A later segment may go on within a group.
    if (unit.iteration === undefined && isInGroup(unit)) this.iteration(unit, at);
    if (unit.iteration === undefined) return this.#inside(unit, at);
    unit.insideIteration ??= trace.setSpan(ROOT_CONTEXT, unit.iteration);
    return unit.insideIteration;
  }
}

function passageOf(unit: UnitTrack): SpanEvent {
  const { cycle, iterations, step } = unit;
  if (step !== undefined && isInGroup(unit))
    return { name: 'fullstop.group', attributes: { 'fullstop.step': step.name, 'fullstop.step.type': step.kind } };
  return cycle === undefined
    ? { name: 'fullstop.iteration', attributes: { 'fullstop.iteration': iterations + 1 } }
    : { name: 'fullstop.cycle', attributes: { 'fullstop.cycle': cycle } };
}

function finished(unit: UnitTrack, at: number): void {
  unit.span?.end(hrTime(at));
  unit.span = undefined;
  unit.inside = undefined;
  unit.takenUpAt = undefined;
  unit.isInvoked = false;
}
