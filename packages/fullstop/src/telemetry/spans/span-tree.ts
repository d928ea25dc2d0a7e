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
}

/** When something began and ended. */
export interface Timed {
  readonly from: number;
  readonly to: number;
}

/** Work that is known only once it is over. */
export interface SpanOfWork extends Timed {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  /** The failure of the work. */
  readonly error?: { readonly type: string; readonly message: string } | undefined;
}

/** The name and the attributes of a span or an event. */
interface SpanLabel {
  readonly name: string;
  readonly attributes: Attributes;
}

interface SpanTreeOptions {
  readonly tracer: Tracer;
  readonly parent: SpanContext | undefined;
  readonly links: readonly Link[];
  readonly attributes: Attributes;
  /** The name and attributes that the GenAI conventions have for a unit; undefined where they have none or are off. */
  invocationOf(unit: UnitTrack): SpanLabel | undefined;
}

/** The spans of one segment: run, units, iterations. Every other span is ended as soon as it is made. */
export class SpanTree {
  readonly #tracer: Tracer;
  readonly #invocationOf: SpanTreeOptions['invocationOf'];

  private constructor({ tracer, invocationOf }: SpanTreeOptions) {
    this.#tracer = tracer;
    this.#invocationOf = invocationOf;
  }

  /** Begins the span of the segment. Undefined when nobody traces: then no span of it is asked for. */
  static begin(root: UnitTrack, options: SpanTreeOptions): SpanTree | undefined {
    const { tracer, parent, links, invocationOf } = options;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const invoked = invocationOf(root);
    const attributes = { ...options.attributes, ...invoked?.attributes };
    const start = { startTime: hrTime(root.startedAt), links: [...links], attributes };
    const span = tracer.startSpan(invoked?.name ?? 'fullstop.run', start, context);
    const { spanId } = span.spanContext();
    // Without an SDK a span has no id, or has that of its parent. One that is not sampled has its own.
    if (spanId === INVALID_SPANID || spanId === parent?.spanId) return undefined;
    root.span = span;
    return new SpanTree(options);
  }

  /** Names the span of a unit anew, once the journal has said what it is. */
  rename(unit: UnitTrack): void {
    const invoked = this.#invocationOf(unit);
    if (invoked !== undefined) unit.span?.updateName(invoked.name).setAttributes(invoked.attributes);
  }

  /** The span of a unit, which is begun if there is none in this segment yet. */
  of(unit: UnitTrack, at: number): Span {
    unit.span ??= this.#begin(unit, at);
    return unit.span;
  }

  #begin(unit: UnitTrack, at: number): Span {
    const stageOrUnit = unit.isStage ? 'fullstop.stage' : 'fullstop.unit';
    const invoked = this.#invocationOf(unit);
    const name = invoked?.name ?? (unit.phase === undefined ? stageOrUnit : 'fullstop.phase');
    const attributes: Attributes = { 'fullstop.unit': unit.name, ...invoked?.attributes };
    const step = unit.parent?.step;
    if (step !== undefined && step.name === unit.name) attributes['fullstop.step.type'] = step.kind;
    const options = { startTime: hrTime(unit.startedAt), attributes };
    const context = unit.parent === undefined ? ROOT_CONTEXT : this.#contextIn(unit.parent, at);
    return this.#tracer.startSpan(name, options, context);
  }

  /** The span of the part that a unit is in: the iteration of an agent, the cycle of a convergence, the group of a workflow. */
  iteration(unit: UnitTrack, at: number): Span {
    if (unit.iteration !== undefined) return unit.iteration;
    const { name, attributes } = partOf(unit);
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
  event(unit: UnitTrack, at: number, { name, attributes }: SpanLabel): void {
    this.of(unit, at).addEvent(name, attributes, hrTime(at));
  }

  /** Work in an iteration or a cycle. */
  work(unit: UnitTrack, work: SpanOfWork): void {
    this.iteration(unit, work.from);
    this.step(unit, work);
  }

  /** A step of a unit, in the part that the unit is in. */
  step(unit: UnitTrack, { name, kind = SpanKind.INTERNAL, from, to, attributes, error }: SpanOfWork): void {
    const context = this.#contextIn(unit, from);
    const span = this.#tracer.startSpan(name, { kind, startTime: hrTime(from), attributes }, context);
    if (error !== undefined) {
      span.setAttribute('error.type', error.type);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    }
    span.end(hrTime(to));
  }

  /** Ends the span of a unit, with the status that its outcome has. */
  end(unit: UnitTrack, { at, outcome, tag, termination }: SpanEnding): void {
    this.endIteration(unit, at);
    const span = this.of(unit, at);
    span.setAttribute('fullstop.outcome', outcome);
    span.setAttribute('fullstop.termination', tag);
    if (outcome === 'failed') {
      span.setAttribute('error.type', termination.kind);
      span.setStatus({ code: SpanStatusCode.ERROR, message: termination.kind });
    }
    if (termination.kind === 'failed') {
      const { name, message } = termination.error;
      span.recordException({ name, message }, hrTime(at));
    }
    endSpan(unit, at);
  }

  /** Ends everything that is still open, because this process will see no more of it. */
  close(units: Iterable<UnitTrack>, at: number, reason: string): void {
    for (const unit of [...units].filter(({ span }) => span !== undefined).reverse()) {
      this.endIteration(unit, at);
      unit.span?.setAttribute('fullstop.left', reason);
      endSpan(unit, at);
    }
  }

  /** The context of the span of a unit: one for all spans in it, since making it costs as much as half a span. */
  #inside(unit: UnitTrack, at: number): Context {
    unit.inside ??= trace.setSpan(ROOT_CONTEXT, this.of(unit, at));
    return unit.inside;
  }

  /** The context of the part that a unit is in, or of the unit itself. */
  #contextIn(unit: UnitTrack, at: number): Context {
    // A later segment may begin within a group.
    if (unit.iteration === undefined && isInGroup(unit)) this.iteration(unit, at);
    if (unit.iteration === undefined) return this.#inside(unit, at);
    unit.insideIteration ??= trace.setSpan(ROOT_CONTEXT, unit.iteration);
    return unit.insideIteration;
  }
}

function partOf(unit: UnitTrack): SpanLabel {
  const { cycle, iterations, step } = unit;
  if (step !== undefined && isInGroup(unit))
    return { name: 'fullstop.group', attributes: { 'fullstop.step': step.name, 'fullstop.step.type': step.kind } };
  return cycle === undefined
    ? { name: 'fullstop.iteration', attributes: { 'fullstop.iteration': iterations + 1 } }
    : { name: 'fullstop.cycle', attributes: { 'fullstop.cycle': cycle } };
}

function endSpan(unit: UnitTrack, at: number): void {
  unit.span?.end(hrTime(at));
  unit.span = undefined;
  unit.inside = undefined;
}
