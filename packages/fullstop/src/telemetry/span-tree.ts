import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Outcome } from '../termination/ending.js';
import type { AnyTermination } from '../termination/kinds.js';
import { hrTime } from './hr-time.js';
import type { UnitTrack } from './units.js';

/** How a unit ended, for its span. */
interface SpanEnding {
  readonly at: number;
  readonly outcome: Outcome;
  readonly tag: string;
  readonly termination: AnyTermination;
  readonly attributes?: Attributes;
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

interface SpanTreeOptions {
  readonly tracer: Tracer;
  readonly parent: SpanContext | undefined;
  readonly links: readonly Link[];
  readonly attributes: Attributes;
}

/** The spans of one segment: run, units, iterations. Everything else is a span that is ended as soon as it is made. */
export class SpanTree {
  readonly #tracer: Tracer;
  readonly #options: SpanTreeOptions;
  readonly #open = new Set<UnitTrack>();

  constructor(options: SpanTreeOptions) {
    this.#tracer = options.tracer;
    this.#options = options;
  }

  /** The span of a unit, which is begun if there is none in this segment yet. */
  of(unit: UnitTrack, at: number): Span {
    if (unit.span !== undefined) return unit.span;
    const span = unit.parent === undefined ? this.#root(at) : this.#child(unit, unit.parent, at);
    unit.span = span;
    this.#open.add(unit);
    return span;
  }

  /** The span of the iteration of an agent, or of the cycle of a convergence, that a unit is in. */
  iteration(unit: UnitTrack, at: number): Span {
    if (unit.iteration !== undefined) return unit.iteration;
    const { cycle, iterations } = unit;
    const name = cycle === undefined ? 'fullstop.iteration' : 'fullstop.cycle';
    const attributes = { [name]: cycle ?? iterations + 1 };
    unit.iteration = this.#tracer.startSpan(name, { startTime: hrTime(at), attributes }, under(this.of(unit, at)));
    return unit.iteration;
  }

  endIteration(unit: UnitTrack, at: number): void {
    unit.iteration?.end(hrTime(at));
    unit.iteration = undefined;
  }

  /** Work in an iteration or a cycle. */
  work(unit: UnitTrack, work: SpanOfWork): void {
    this.#emit(this.iteration(unit, work.from), work);
  }

  /** A step of a unit, in whatever it is just doing. */
  step(unit: UnitTrack, work: SpanOfWork): void {
    this.#emit(unit.iteration ?? this.of(unit, work.from), work);
  }

  #emit(around: Span, { name, kind = SpanKind.INTERNAL, from, to, attributes, error }: SpanOfWork): void {
    const context = under(around);
    const span = this.#tracer.startSpan(name, { kind, startTime: hrTime(from), attributes }, context);
    if (error !== undefined) {
      span.setAttribute('error.type', error.type);
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
    }
    span.end(hrTime(to));
  }

  /** Ends the span of a unit, with the status that its outcome has. */
  end(unit: UnitTrack, ending: SpanEnding): void {
    const { at, outcome, tag, termination, attributes } = ending;
    this.endIteration(unit, at);
    const span = this.of(unit, at);
    span.setAttributes({ 'fullstop.outcome': outcome, 'fullstop.termination': tag, ...attributes });
    if (outcome === 'failed') {
      span.setAttribute('error.type', termination.kind);
      span.setStatus({ code: SpanStatusCode.ERROR, message: termination.kind });
    }
    if (termination.kind === 'failed') {
      const { name, message } = termination.error;
      span.recordException({ name, message }, hrTime(at));
    }
    this.#finish(unit, at);
  }

  /** Ends everything that is still open, because this process hears no more of it. */
  close(at: number, reason: string): void {
    for (const unit of [...this.#open].reverse()) {
      this.endIteration(unit, at);
      unit.span?.setAttribute('fullstop.left', reason);
      this.#finish(unit, at);
    }
  }

  #finish(unit: UnitTrack, at: number): void {
    unit.span?.end(hrTime(at));
    unit.span = undefined;
    this.#open.delete(unit);
  }

  #root(at: number): Span {
    const { parent, links, attributes } = this.#options;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.#tracer.startSpan('fullstop.run', { startTime: hrTime(at), links: [...links], attributes }, context);
  }

  #child(unit: UnitTrack, parent: UnitTrack, at: number): Span {
    const around = parent.iteration ?? this.of(parent, at);
    const name = unit.isStage ? 'fullstop.stage' : 'fullstop.unit';
    const attributes = { 'fullstop.unit': unit.name };
    return this.#tracer.startSpan(name, { startTime: hrTime(at), attributes }, under(around));
  }
}

function under(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}
